#pragma once

#include <functional>
#include <string>

#include "base/error.h"

namespace CLI {
class App;
}

namespace ganscale::controller {

/// What main() runs once the command line was read.
using Action = std::function<ExitCode()>;

/// Each function adds one verb to the command line; when the user chose it, `action` is what it
/// does. One file a verb.
void add_render(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_validate(CLI::App& app, Action& action);
void add_version(CLI::App& app, Action& action);

/// Reads the command line and does what it says. Returns the exit code.
int run_program(int argc, char** argv);

}  // namespace ganscale::controller
