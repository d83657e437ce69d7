#pragma once

#include <memory>

#include "comm/group.h"
#include "comm/watchdog.h"

namespace ganscale::comm {

/// Returns the group of all ranks that the launcher started, for CPU tensors. All ranks call it,
/// with an MpiSession that lives longer than the group.
///
/// Every operation runs on a thread of the group's own, in the order of the calls: Open MPI makes
/// no progress by itself, and so a sum goes on while the caller computes. A group has its own
/// communicator; different groups do not disturb each other.
///
/// watchdog: watches every operation.
/// Throws:   ConfigError in a build without MPI. Operations throw PeerLost where MPI reports an
/// error.
std::unique_ptr<Group> open_mpi_world(std::shared_ptr<Watchdog> watchdog);

/// Where this rank stands in the world and among the ranks of its machine.
struct RankInfo {
  int rank = 0;
  int local_rank = 0;
  int local_size = 1;
};

/// Returns this rank's place. All ranks call it. Throws as open_mpi_world().
RankInfo mpi_rank_info();

}  // namespace ganscale::comm
