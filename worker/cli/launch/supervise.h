#pragma once

#include <string>
#include <vector>

namespace ganscale::cli {

/// Runs a command outside of the terminal's foreground, and waits for its end.
///
/// The first SIGINT, SIGTERM, SIGHUP or SIGUSR1 reaches it as SIGUSR1, which mpirun forwards to the ranks:
/// they write a checkpoint. A second one reaches it as SIGTERM, on which mpirun kills them. It ends
/// with this process, however that ends.
///
/// words:   a program, looked up in PATH, and its arguments.
/// package: Debian's package of the program, for the error.
/// Returns: its exit code; 128 + n after a signal n.
/// Throws:  UsageError if there is no such program.
int supervise(const std::vector<std::string>& words, const std::string& package);

}  // namespace ganscale::cli
