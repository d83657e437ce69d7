#pragma once

#include <functional>
#include <string>

#include "base/error.h"

namespace CLI {
class App;
}

namespace ganscale::command_line {

/// What main() runs after parsing the command line.
using Action = std::function<ExitCode()>;

/// Logs the error that is being handled, as run_program() does, which then does not log it again:
/// for those who do something that takes a while, or what ends other ranks, before they let the
/// error go on. Returns its exit code.
ExitCode log_error();

/// What a program does that may be one of several ranks.
struct Reporting {
  bool prints_help = true;  ///< and the version; no: another rank does
  /// Called before an error is reported that the user, the data or the devices have caused.
  std::function<void()> before_user_error = [] {};
  /// Returns what to say of an option that is like none of the verb's; empty: nothing.
  std::function<std::string(const CLI::App& verb)> about_unknown_option = [](const CLI::App&) {
    return std::string();
  };
};

/// Parses the command line and runs `action`, which the callback of the chosen verb sets. `help
/// VERB`, `version` and no arguments at all are what --help and --version are.
///
/// Returns the exit code; an error is logged, not thrown.
int run_program(CLI::App& app, const Action& action, int argc, char** argv,
                const Reporting& reporting = {});

}  // namespace ganscale::command_line
