#pragma once

#include <cstdint>

#include "kernels/launch/channel_walk.h"

/// How scale_channels and dot_channels compute: plain pointers, the same contract for every device.
namespace ganscale::kernels {

/// A dense batch of images: contiguous, or channels last.
struct ImageLayout {
  ScalarType type = ScalarType::kFloat32;
  std::int64_t image_count = 0;
  std::int64_t channel_count = 0;
  std::int64_t pixel_count = 0;  ///< of a channel
  bool channels_last = false;
};

/// out = x * scale, scale: [image_count, channel_count]. Host memory: float32 and float64 only.
struct ScaleArrays {
  void* out = nullptr;
  const void* x = nullptr;
  const void* scale = nullptr;
};
void scale_channels_reference(const ScaleArrays& arrays, const ImageLayout& layout);

/// Returns how a device walks over images of which each channel has a value.
constexpr ChannelWalk walk_of(const ImageLayout& layout) {
  const std::int64_t width = vector_elements(layout.type);
  if (layout.channels_last) {
    return walk_over_pixels(layout.image_count, layout.pixel_count, layout.channel_count, width);
  }
  const std::int64_t planes = layout.image_count * layout.channel_count;
  return walk_over_planes(planes, layout.pixel_count, planes, width);
}

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
