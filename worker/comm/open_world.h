#pragma once

#include <c10/core/Device.h>

#include <memory>
#include <optional>
#include <string>

#include "comm/backends/mpi_group.h"
#include "comm/comm_config.h"
#include "comm/group/group.h"
#include "comm/group/watchdog.h"

namespace ganscale::comm {

/// All ranks of a run.
struct World {
  std::unique_ptr<Group> group;
  RankInfo rank_info;
  std::shared_ptr<Watchdog> watchdog;  ///< null for a single rank
};

/// Opens the world of the launcher: MPI under mpirun, otherwise a single rank. Waits for all ranks,
/// each at most for the timeout of the config.
///
/// Throws ConfigError: not the expected world size (of the config, or of the environment variable
/// GANSCALE_EXPECTED_WORLD_SIZE, which the operator sets); backend "mpi" or "nccl" without mpirun;
/// mpirun with backend "single" or with a build without MPI.
World open_world(const CommConfig& config);

/// Makes the world's group accept tensors on this rank's device as well, by NCCL. All ranks call it
/// after select_device(). Does nothing for a CPU or a single rank.
///
/// Throws ConfigError: backend "nccl" without a GPU, backend "mpi" with a GPU, several ranks on one
/// GPU; DeviceError: NCCL fails, or, on this rank alone, it has no GPU, but others do.
void add_device(World& world, const CommConfig& config, c10::Device device);

/// Throws ConfigError unless the world has the expected size.
///
/// expected:    0 for any.
/// environment: GANSCALE_EXPECTED_WORLD_SIZE, if it is set.
void check_world_size(int actual, int expected, const std::optional<std::string>& environment);

}  // namespace ganscale::comm
