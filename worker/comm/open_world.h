#pragma once

#include <c10/core/Device.h>

#include <memory>
#include <optional>
#include <string>

#include "comm/comm_config.h"
#include "comm/group.h"
#include "comm/mpi_group.h"
#include "comm/watchdog.h"

namespace ganscale::comm {

/// All ranks of a run, and where this one stands among those of its machine.
struct World {
  std::unique_ptr<Group> group;
  RankInfo rank_info;
  std::shared_ptr<Watchdog> watchdog;  ///< none for a single rank
};

/// Opens the world that the launcher made: MPI under mpirun, else a single rank.
///
/// Throws ConfigError: the world is not of the expected size (config, or the environment's
/// GANSCALE_EXPECTED_WORLD_SIZE, which the operator sets); back end "mpi" or "nccl" without mpirun;
/// mpirun with back end "single", or with a build without MPI.
World open_world(const CommConfig& config);

/// Lets the world's group take tensors of this rank's device as well: NCCL between GPUs. All ranks
/// call it, after select_device(). A CPU and a single rank need nothing.
///
/// Throws ConfigError: back end "nccl" and no GPU, back end "mpi" with a GPU; DeviceError: NCCL
/// fails.
void add_device(World& world, const CommConfig& config, c10::Device device);

/// Throws ConfigError unless the world has as many ranks as expected.
///
/// expected:    0 for any number.
/// environment: GANSCALE_EXPECTED_WORLD_SIZE, where it is set.
void check_world_size(int actual, int expected, const std::optional<std::string>& environment);

}  // namespace ganscale::comm
