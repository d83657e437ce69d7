#include <CLI/CLI.hpp>
#include <iostream>

#include "base/log.h"
#include "verbs/verbs.h"

namespace ganscale::controller {
namespace {

constexpr auto kDescription =
    "ganscale-operator turns GanTraining resources into MPIJobs and sees them through.\n\n"
    "  ganscale-operator run                         # in a cluster, or with --kubeconfig\n"
    "  ganscale-operator render -f training.yaml     # every object, without a cluster\n";

/// Reads the command line into `action`; returns what to exit with where there is nothing to run.
int parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    app.exit(error);
    return asked_for_help ? 0 : static_cast<int>(ExitCode::kUsage);
  }
}

ExitCode run_action(const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    log::error(error.what());
    return error.code();
  } catch (const std::exception& error) {
    log::error("unexpected error", {{"what", error.what()}});
    return ExitCode::kBug;
  }
}

}  // namespace

void add_version(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("version", "Print the version");
  verb->callback([&action] {
    action = [] {
      std::cout << "ganscale-operator " << GANSCALE_VERSION << "\n";
      return ExitCode::kOk;
    };
  });
}

int run_program(int argc, char** argv) {
  CLI::App app{kDescription, "ganscale-operator"};
  app.require_subcommand(1);
  Action action;
  add_run(app, action);
  add_render(app, action);
  add_validate(app, action);
  add_version(app, action);
  const int usage = parse(app, argc, argv);
  if (usage != 0 || !action) return usage;
  return static_cast<int>(run_action(action));
}

}  // namespace ganscale::controller
