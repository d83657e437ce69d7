#include "cli/run.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <new>
#include <thread>

#include "base/log.h"
#include "cli/verbs.h"
#include "comm/launcher.h"

namespace ganscale::cli {
namespace {

constexpr auto kDescription =
    "ganscale trains GANs on every GPU of a cluster, one process per GPU.\n\n"
    "  ganscale data convert --from photos/ --to faces/ --resolution 32\n"
    "  mpirun -n 2 ganscale train --config configs/runs/demo-emoji32.yaml --run runs/demo\n"
    "  ganscale report runs/demo\n";

constexpr auto kExitCodes =
    "\nExit codes: 0 done, 64 usage, 65 data, 70 bug, 71 device, 75 peer lost, 78 configuration,\n"
    "143 stopped by a signal after a checkpoint.";

/// All ranks find the same mistake of the user. Rank 0 reports it and ends the others, which give
/// it time to do so; a rank that is alone with its mistake reports it after that.
void let_rank_0_report_first() {
  if (comm::launched_rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(3));
}

/// Parses the command line into `action`; returns the exit code if there is nothing to run.
int parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (!asked_for_help) let_rank_0_report_first();
    app.exit(error);
    return asked_for_help ? 0 : static_cast<int>(ExitCode::kUsage);
  }
}

ExitCode run_action(const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    const bool of_the_user = error.code() == ExitCode::kUsage || error.code() == ExitCode::kConfig;
    if (of_the_user) let_rank_0_report_first();
    log::error(error.what());
    return error.code();
  } catch (const std::bad_alloc&) {
    log::error("out of memory: use a smaller batch or fewer prefetched batches");
    return ExitCode::kBug;
  } catch (const std::exception& error) {
    log::error("unexpected error", {{"what", error.what()}});
    return ExitCode::kBug;
  }
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app{kDescription, "ganscale"};
  app.footer(kExitCodes);
  app.require_subcommand(1);
  app.set_version_flag("--version", GANSCALE_VERSION);
  Action action;
  add_train(app, action);
  add_data(app, action);
  add_generate(app, action);
  add_report(app, action);
  add_evaluate(app, action);
  add_export(app, action);
  add_import(app, action);
  add_project(app, action);
  add_config_schema(app, action);
  const int usage = parse(app, argc, argv);
  if (usage != 0 || !action) return usage;
  return static_cast<int>(run_action(action));
}

}  // namespace ganscale::cli
