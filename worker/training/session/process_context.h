#pragma once

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

/// Returns the number of CPU threads of a rank, at least 1.
///
/// requested:     in the configuration; 0: choose.
/// allowed_cores: those that this process may run on.
/// machine_cores: those of the machine. If there are more than allowed_cores, a launcher or a
///                container has bound the rank, which has its cores to itself; otherwise the ranks
///                of the machine share them.
constexpr int cpu_threads(int requested, int allowed_cores, int machine_cores, int local_size) {
  if (requested > 0) return requested;
  const int share = allowed_cores < machine_cores ? allowed_cores : machine_cores / local_size;
  return share > 1 ? share : 1;
}

}  // namespace ganscale::training
