#pragma once

#include <algorithm>
#include <optional>

#include "comm/open_world.h"
#include "device/select_device.h"
#include "training/run/run_config.h"

namespace ganscale::training {

/// The world, and the devices of this process.
struct ProcessContext {
  comm::World world;
  device::NetworkDevices devices;
};

/// Opens the launcher's world and sets up this process: its rank in the log, its device, its CPU
/// threads, TF32. Adapts the configuration to the device.
/// Throws ConfigError, DeviceError.
ProcessContext open_process_context(RunConfig& config);

/// What a rank may compute on.
struct CpuLimits {
  int allowed_cores = 1;  ///< those that this process may run on
  /// The ranks that may run on these: this one alone if a launcher has bound each to its own, all
  /// of the machine or container otherwise.
  int sharing_ranks = 1;
  std::optional<double> quota{};  ///< CPUs' time of all ranks of the container; see cpu_quota()
};

/// Returns the number of CPU threads of a rank, at least 1. `requested`: in the configuration; 0:
/// its share of cores and quota.
constexpr int cpu_threads(int requested, const CpuLimits& limits, int local_size) {
  if (requested > 0) return requested;
  int share = limits.allowed_cores / limits.sharing_ranks;
  if (limits.quota) share = std::min(share, static_cast<int>(*limits.quota / local_size));
  return std::max(share, 1);
}

}  // namespace ganscale::training
