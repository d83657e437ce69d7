#pragma once

#include "comm/open_world.h"
#include "device/select_device.h"
#include "training/run/run_config.h"

namespace ganscale::training {

/// This process among those of the run, and what it computes with.
struct ProcessContext {
  comm::World world;
  device::NetworkDevices devices;
};

/// Opens the world that the launcher made, and sets this process up: its name in the log, its
/// device, its CPU threads, TF32; takes from the configuration what the device is no good at.
/// Throws ConfigError, DeviceError.
ProcessContext open_process_context(RunConfig& config);

}  // namespace ganscale::training
