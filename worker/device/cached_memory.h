#pragma once

#include <c10/core/Device.h>

namespace ganscale::device {

/// Gives back to the driver what this process has reserved of a GPU's memory but does not use; from
/// then on device_memory() reports the peak since. Does nothing for a CPU.
void release_cached_memory(c10::Device device);

}  // namespace ganscale::device
