#pragma once

#include <functional>

#include "base/error.h"

namespace CLI {
class App;
}

namespace ganscale::command_line {

/// What main() runs after parsing the command line.
using Action = std::function<ExitCode()>;

/// Logs the error that is being handled, as run_program() does, which then does not log it again:
/// for those who do something that takes a while before they let the error go on. Returns its exit
/// code.
ExitCode log_error();

/// Parses the command line and runs `action`, which the callback of the chosen verb sets. `help VERB`,
/// `version` and no arguments at all are what --help and --version are.
///
/// before_user_error: called before an error is reported that the user, the data or the devices
///                    have caused.
/// Returns the exit code; an error is logged, not thrown.
int run_program(
    CLI::App& app, const Action& action, int argc, char** argv,
    const std::function<void()>& before_user_error = [] {});

}  // namespace ganscale::command_line
