#pragma once

#include <c10/core/Device.h>

namespace ganscale::device {

/// Has device_memory() report the peak since now. What a CUDA graph uses while it is replayed is in
/// the peak only if that includes its capture. Does nothing for a CPU.
void forget_peak_memory(c10::Device device);

/// Returns to the driver the GPU memory that this process has reserved but does not use, and
/// forgets the peak. Does nothing for a CPU.
void release_cached_memory(c10::Device device);

}  // namespace ganscale::device
