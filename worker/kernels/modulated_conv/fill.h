#pragma once

#include <cstdint>

#include "kernels/launch/channel_walk.h"

/// How scale_channels and dot_channels compute: plain pointers, the same contract for every device.
namespace ganscale::kernels {

/// out = x * scale, scale: [image_count, channel_count]. Host memory: float32 and float64 only.
struct ScaleArrays {
  void* out = nullptr;
  const void* x = nullptr;
  const void* scale = nullptr;
};
void scale_channels_reference(const ScaleArrays& arrays, const ImageLayout& layout);

/// out[r, n, c] = sum over some pixels of a * b, in float32 for low-precision types, which out is too.
/// A host takes all pixels for one row, a device leaves walk_of(layout).partial_rows().
struct DotArrays {
  void* out = nullptr;
  const void* a = nullptr;
  const void* b = nullptr;
};
void dot_channels_reference(const DotArrays& arrays, const ImageLayout& layout);

/// The same in device memory, in `cuda_stream` (a cudaStream_t) of the current device. Throw
/// DeviceError if the launch fails, and in a build without CUDA.
void scale_channels_kernel(const ScaleArrays& arrays, const ImageLayout& layout, void* cuda_stream);
void dot_channels_kernel(const DotArrays& arrays, const ImageLayout& layout, void* cuda_stream);

}  // namespace ganscale::kernels
