#include <CLI/CLI.hpp>

#include "command_line/completion.h"
#include "verbs/verbs.h"

namespace ganscale::controller {
namespace {

constexpr auto kDescription =
    "ganscale-operator runs GanTraining resources as MPIJobs until they are done, and measures "
    "how\ntrainings scale with ScalingSweep resources.\n\n  ganscale-operator run                  "
    "       # in a cluster, or with --kubeconfig\n  ganscale-operator render -f training.yaml     "
    "# every object, without a cluster\n";

}  // namespace

int run_program(int argc, char** argv) {
  CLI::App app{kDescription, "ganscale-operator"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "ganscale-operator " GANSCALE_VERSION);
  Action action;
  add_run(app, action);
  add_render(app, action);
  add_validate(app, action);
  add_report(app, action);
  command_line::add_completion(app, action);
  return command_line::run_program(app, action, argc, argv);
}

}  // namespace ganscale::controller
