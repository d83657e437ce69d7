#pragma once

#include <c10/core/Device.h>

namespace ganscale::device {

/// What a user asks for: each rank's own GPU where there are any, else the CPU; or one of the two.
enum class DeviceKind { kAuto, kCpu, kGpu };

/// Returns the device of one rank: its local rank's GPU, one process a GPU, or the CPU.
///
/// A launcher that shows each rank its own GPU only (CUDA_VISIBLE_DEVICES a rank) makes that one
/// number 0.
/// visible_gpu_count: as this rank sees them.
/// Throws: DeviceError where a GPU is asked for and there is none, or too few for the ranks.
c10::Device select_device(DeviceKind kind, int local_rank, int local_size, int visible_gpu_count);

}  // namespace ganscale::device
