#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ganscale::cli {

/// Runs a command outside of the terminal's foreground, and waits for its end.
///
/// The first SIGINT, SIGTERM, SIGHUP or SIGUSR1 reaches it as SIGUSR1, which mpirun forwards to the
/// ranks: they write a checkpoint. A second one reaches it as SIGTERM, on which mpirun kills them.
/// It ends with this process, however that ends. A SIGHUP that is ignored, as under nohup, stays
/// so. At the end, signals do what they did before.
///
/// Its standard error passes through this process. A rank that loses another says so with its exit
/// code, 75; mpirun then ends the others and waits for an answer from every host. If it can't reach
/// one, it waits until the kernel gives up the connection, a quarter of an hour.
///
/// words:   a program, looked up in PATH, and its arguments.
/// package: Debian's package of the program, for the error.
/// timeout: how long the command may run after a rank lost another; no value: no limit.
/// Returns: its exit code; 128 + n after a signal n; 75 after the timeout.
/// Throws:  UsageError if the program can't be run.
int supervise(const std::vector<std::string>& words, const std::string& package,
              std::optional<std::chrono::milliseconds> timeout = {});

}  // namespace ganscale::cli
