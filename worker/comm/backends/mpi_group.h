#pragma once

#include <memory>

#include "comm/group/group.h"
#include "comm/group/watchdog.h"

namespace ganscale::comm {

/// Returns the group of all ranks that the launcher started, for CPU tensors. All ranks call it,
/// with an MpiSession that outlives the group.
///
/// Operations run on a thread of the group, in the order of the calls: Open MPI makes no progress
/// in the background, so this lets an all-reduce overlap with computation. Each group has its own
/// communicator, so groups do not interfere.
///
/// watchdog: watches every operation.
/// Throws:   ConfigError in a build without MPI. Operations throw PeerLost if MPI reports an
///           error.
std::unique_ptr<Group> open_mpi_world(std::shared_ptr<Watchdog> watchdog);

/// This rank in the world and among the ranks of its machine.
struct RankInfo {
  int rank = 0;
  int local_rank = 0;
  int local_size = 1;
};

/// Returns the ranks of this process. All ranks call it. Throws like open_mpi_world().
RankInfo mpi_rank_info();

}  // namespace ganscale::comm
