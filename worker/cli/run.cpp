#include "cli/run.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <thread>

#include "cli/this_build.h"
#include "cli/verbs.h"
#include "comm/backends/launcher.h"
#include "command_line/completion.h"
#include "command_line/run_program.h"
#include "device/translate_errors.h"

namespace ganscale::cli {
namespace {

constexpr auto kDescription =
    "ganscale trains GANs on every GPU of a cluster, one process per GPU.\n\n"
    "  ganscale launch train --data photos/ --run runs/r1\n"
    "  ganscale report runs/r1\n"
    "  ganscale generate --run runs/r1 --seeds 0-63 --grid 8x8 --out grid.png\n";

constexpr auto kExitCodes =
    "\nExit codes: 0 done, 64 usage, 65 data, 69 fabric, 70 bug, 71 device, 75 peer lost,\n"
    "78 configuration, 143 stopped by a signal after a checkpoint.";

/// All ranks find the same mistake of the user, the same damaged data. Rank 0 reports it and ends
/// the others, which give it time to do so; a rank that is alone with its error reports it after
/// that.
void let_rank_0_report_first() {
  if (comm::launched_rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(3));
}

/// Other trainers have options where this one has keys of a configuration.
std::string about_unknown_option(const CLI::App& verb) {
  if (verb.get_option_no_throw("--set") == nullptr) return "";
  const bool has_run = verb.get_option_no_throw("--run") != nullptr;
  return std::string(has_run ? "run folder: --run; " : "") +
         "keys of the configuration: --set training.batch=8";
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app{kDescription, "ganscale"};
  app.footer(kExitCodes);
  app.require_subcommand(1);
  app.set_version_flag("--version", [] { return build_text(this_build()); });
  Action action;
  add_train(app, action);
  add_launch(app, action);
  add_data(app, action);
  add_generate(app, action);
  add_report(app, action);
  add_serve(app, action);
  add_evaluate(app, action);
  add_export(app, action);
  add_import(app, action);
  add_project(app, action);
  add_bench(app, action);
  add_preflight(app, action);
  add_plan(app, action);
  add_sweep(app, action);
  add_config_schema(app, action);
  command_line::add_completion(app, action,
                               {{"launch", {kLaunchedVerbs.begin(), kLaunchedVerbs.end()}}});
  const Action translated = [&action] {
    ExitCode code = ExitCode::kOk;
    device::translate_errors([&] {
      if (action) code = action();  // none if the parser has said all, as for --help
    });
    return code;
  };
  return command_line::run_program(app, translated, argc, argv,
                                   {.prints_help = comm::launched_rank() == 0,
                                    .before_user_error = let_rank_0_report_first,
                                    .about_unknown_option = about_unknown_option});
}

}  // namespace ganscale::cli
