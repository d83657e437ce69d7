#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/launch/scalar_type.h"

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

/// Returns in how many parts a device takes the pixels of a dot product, so that few images of few
/// channels keep all of it busy. Contiguous planes are work enough each.
constexpr std::int64_t dot_parts(const ImageLayout& layout) {
  constexpr std::int64_t kBlocks = 1024;
  constexpr std::int64_t kFewestPixels = 64;
  if (!layout.channels_last) return 1;
  const std::int64_t blocks = std::max<std::int64_t>(
      1, (layout.channel_count + 31) / 32 * layout.image_count);  // of 32 channels of an image
  const std::int64_t most = std::max<std::int64_t>(1, layout.pixel_count / kFewestPixels);
  return std::clamp<std::int64_t>((kBlocks + blocks - 1) / blocks, 1, most);
}

/// out[p, n, c] = sum over the pixels of part p of a * b, in float32 for low-precision types, which
/// out is too. A host takes all pixels as one part, a device as many as dot_parts().
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
