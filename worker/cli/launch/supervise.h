#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ganscale::cli {

/// How long a command may go on after a rank lost another; nothing: as long as it likes.
using Patience = std::optional<std::chrono::milliseconds>;

/// Runs a command outside of the terminal's foreground, and waits for its end.
///
/// The first SIGINT, SIGTERM, SIGHUP or SIGUSR1 reaches it as SIGUSR1, which mpirun forwards to the ranks:
/// they write a checkpoint. A second one reaches it as SIGTERM, on which mpirun kills them. It ends
/// with this process, however that ends.
///
/// What it writes to standard error passes through this process. After the line of a rank that lost
/// another, mpirun ends the others and waits for the answer of every host; but if it can't reach
/// one, it waits until the kernel gives the connection up, a quarter of an hour.
///
/// words:   a program, looked up in PATH, and its arguments.
/// package: Debian's package of the program, for the error.
/// Returns: its exit code; 128 + n after a signal n; that of a lost rank if patience ran out.
/// Throws:  UsageError if there is no such program.
int supervise(const std::vector<std::string>& words, const std::string& package,
              Patience patience = {});

}  // namespace ganscale::cli
