#pragma once

namespace ganscale::cli {

/// Reads the command line, runs the verb and returns the exit code (see ExitCode). An error is
/// logged, not thrown.
int run(int argc, char** argv);

}  // namespace ganscale::cli
