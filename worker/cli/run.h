#pragma once

namespace ganscale::cli {

/// Parses the command line, runs the verb and returns the exit code (see ExitCode). Logs errors
/// instead of throwing them.
int run(int argc, char** argv);

}  // namespace ganscale::cli
