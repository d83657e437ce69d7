#pragma once

#include <functional>

#include "base/error.h"
#include "comm/group/group.h"
#include "training/run/run_config.h"

namespace ganscale::training {

/// Runs `body` on `count` threads of this process, each a rank of one group: with its rank in the
/// log, its share of the CPU threads and, on a GPU, a stream of its own.
///
/// Where a rank fails, the others end, too. One that then hangs for comm.timeout ends the process
/// with the code of PeerLost, as under MPI.
/// Returns: what `body` returns on rank 0.
/// Throws:  what the rank that failed first threw.
ExitCode run_on_threads(int count, const RunConfig& config, at::Device device,
                        const std::function<ExitCode(comm::Group&)>& body);

}  // namespace ganscale::training
