#pragma once

#include <c10/core/Device.h>

namespace ganscale::device {

/// Returns to the driver the GPU memory that this process has reserved but does not use; from
/// then on device_memory() reports the peak since. Does nothing for a CPU.
void release_cached_memory(c10::Device device);

}  // namespace ganscale::device
