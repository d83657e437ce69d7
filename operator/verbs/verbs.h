#pragma once

#include "command_line/run_program.h"

namespace CLI {
class App;
}

namespace ganscale::controller {

using command_line::Action;

/// Each function adds a verb to the command line, which sets `action` if the user chooses it. One
/// file per verb.
void add_render(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_validate(CLI::App& app, Action& action);

/// Parses the command line and runs the chosen verb. Returns the exit code.
int run_program(int argc, char** argv);

}  // namespace ganscale::controller
