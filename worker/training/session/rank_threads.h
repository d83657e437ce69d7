#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <functional>

#include "base/error.h"
#include "comm/group/group.h"

namespace ganscale::training {

/// Threads of this process that each are a rank.
struct RankThreads {
  int count = 1;
  int cpu_threads = 0;  ///< of each; 0: its share of this thread's
  std::chrono::milliseconds timeout;
};

/// Runs `body` on threads of this process, each a rank of one group: with its rank in the log, its
/// CPU threads and, on a GPU, a stream of its own.
///
/// If a rank fails, the others end, too. One that then hangs for the timeout ends the process
/// with the code of PeerLost, as under MPI.
/// Returns: what `body` returns on rank 0.
/// Throws:  what the rank that failed first threw.
ExitCode run_on_threads(const RankThreads& threads, at::Device device,
                        const std::function<ExitCode(comm::Group&)>& body);

}  // namespace ganscale::training
