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

}  // namespace ganscale::training
