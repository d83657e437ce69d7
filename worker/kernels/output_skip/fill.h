#pragma once

#include <cstdint>
#include <variant>

#include "kernels/launch/scalar_type.h"

/// How output_skip() computes: plain pointers.
namespace ganscale::kernels {

/// Where the numbers of low precision lie; images are contiguous.
struct RgbLayout {
  std::int64_t image_count = 0;
  std::int64_t channel_count = 0;  ///< at most kMostRgbChannels
  std::int64_t pixel_count = 0;
  std::int64_t channel_stride = 0;
  std::int64_t pixel_stride = 0;
};
constexpr std::int64_t kMostRgbChannels = 4;

struct OutputSkipTask {
  ScalarType type = ScalarType::kFloat32;  ///< of rgb; others are float64 if it is, else float32
  RgbLayout layout;
  double clamp = -1;  ///< below 0: none
};

/// With u = rgb + bias. Images are [N, C, pixels].
struct OutputSkipArrays {
  void* out = nullptr;  ///< clamp(u) + image
  const void* rgb = nullptr;
  const void* bias = nullptr;
  const void* image = nullptr;  ///< null: none
};

/// Of what lies in reach: M is 0 where u was clamped, else 1.
struct OutputSkipGradientArrays {
  void* d_rgb = nullptr;         ///< M gradient, in rgb's type and layout
  void* partial_sums = nullptr;  ///< of it, see output_skip_blocks(): [blocks, channel_count]
  const void* gradient = nullptr;
  const void* rgb = nullptr;
  const void* bias = nullptr;
};

/// The gradient of `gradient`, given the gradients of both results.
struct OutputSkipSecondGradientArrays {
  void* out = nullptr;                 ///< M (rgb_tangent + bias_tangent)
  const void* rgb_tangent = nullptr;   ///< in rgb's type and layout; null: 0
  const void* bias_tangent = nullptr;  ///< [channel_count]; null: 0
  const void* rgb = nullptr;
  const void* bias = nullptr;
};

/// Returns how many blocks share the pixels of all images.
constexpr std::int64_t output_skip_blocks(const RgbLayout& layout) {
  constexpr std::int64_t kThreads = 256;
  constexpr std::int64_t kMostBlocks = 1024;
  const std::int64_t blocks = (layout.image_count * layout.pixel_count + kThreads - 1) / kThreads;
  return blocks < kMostBlocks ? blocks : kMostBlocks;
}

using AnyOutputSkipArrays =
    std::variant<OutputSkipArrays, OutputSkipGradientArrays, OutputSkipSecondGradientArrays>;

/// Fills device memory in `cuda_stream` (a cudaStream_t) of the current device; low-precision types
/// are computed in float32. Throws DeviceError if the launch fails, and in a build without CUDA.
void output_skip_kernel(const AnyOutputSkipArrays& arrays, const OutputSkipTask& task,
                        void* cuda_stream);

}  // namespace ganscale::kernels
