#pragma once

#include <c10/core/Device.h>

#include <string>

#include "config/section.h"

namespace ganscale::device {

struct DeviceConfig {
  std::string kind = "auto";  ///< auto, cpu or gpu
};

/// Reads the section `device`.
DeviceConfig parse_device(config::Section in);

/// Returns the device of one rank: its local rank's GPU, one process a GPU, or the CPU.
///
/// A launcher that shows each rank its own GPU only (CUDA_VISIBLE_DEVICES a rank) makes that one
/// number 0.
/// visible_gpu_count: as this rank sees them.
/// Throws: DeviceError where a GPU is asked for and there is none, or too few for the ranks.
c10::Device select_device(const DeviceConfig& config, int local_rank, int local_size,
                          int visible_gpu_count);

}  // namespace ganscale::device
