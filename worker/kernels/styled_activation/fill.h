#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>

#include "kernels/launch/channel_walk.h"

/// How styled_activation computes: plain pointers, the same contract for every device.
///
/// With f the leaky ReLU, n, c, p an image, channel and pixel:
///   u         = demodulation[n,c] y[n,c,p] + strength noise[n,p] + bias[c]
///   value     = clamp(gain f(u))
///   scaled    = next_styles[n,c] value
/// and for the gradients g and h of value and scaled, with M = gain f'(u), 0 where it is clamped:
///   G         = M (g + next_styles h)
///   d_y       = demodulation G, and the sums of G y, h value, G and G noise are the gradients of
///               demodulation, next_styles, bias and strength.
/// The second derivatives are the derivatives of d_y and of these sums.
namespace ganscale::kernels {

/// The leaky ReLU. What was clamped, and the sign of u, are read off the stored value.
struct StyledActivationRule {
  double gain = 1;
  double clamp = -1;  ///< a value of the stored type, so that it can be found again; below 0: none
  double slope = 0.2;
};

/// `layout` is that of all arrays [N, C, H, W], in its type. All others are float64 if that is,
/// otherwise float32.
struct StyledActivationTask {
  ImageLayout layout;
  StyledActivationRule rule;
  std::int64_t noise_stride = 0;  ///< from an image's plane of noise to the next; 0: one for all
};

/// Arrays other than images: the operands, their gradients or their tangents.
template <class Pointer>
struct StyleArrays {
  Pointer demodulation = nullptr;  ///< [N, C]
  Pointer next_styles = nullptr;   ///< [N, C]
  Pointer bias = nullptr;          ///< [C]
  Pointer strength = nullptr;      ///< one number
};
using StyleSums = StyleArrays<void*>;  ///< null: not wanted

/// Null: 1 for the factors, 0 for the terms. Factors of different images may lie apart.
struct StyleInputs : StyleArrays<const void*> {
  std::int64_t demodulation_stride = 0;  ///< from one image to the next
  std::int64_t next_styles_stride = 0;
};

struct StyledActivationArrays {
  void* value = nullptr;
  void* scaled = nullptr;  ///< null: not wanted
  const void* y = nullptr;
  const void* noise = nullptr;  ///< a plane [H * W] for each image, see noise_stride; null: none
  StyleInputs style = {};
};

/// What both derivatives read. Null gradients are 0; y and noise may be null if no sum takes
/// them.
struct StyledPointArrays {
  const void* value_gradient = nullptr;
  const void* scaled_gradient = nullptr;
  const void* value = nullptr;
  const void* y = nullptr;
  const void* noise = nullptr;
  StyleInputs style = {};
};

struct StyledGradientArrays {
  void* d_y = nullptr;  ///< null: not wanted
  StyleSums sums = {};
  StyledPointArrays point = {};
};

/// The gradients of what the derivative was computed from, with
///   T            = demodulation d_y' + y demodulation' + bias' + noise strength'
/// where ' marks the tangent of a result of the derivative.
struct StyledSecondGradientArrays {
  void* of_value_gradient = nullptr;   ///< M T. This and the next: null if not wanted
  void* of_scaled_gradient = nullptr;  ///< next_styles M T + value next_styles'
  void* of_value = nullptr;            ///< scaled_gradient next_styles'
  void* of_y = nullptr;                ///< G demodulation'
  StyleSums sums = {};  ///< of G d_y' and M T scaled_gradient: demodulation and next_styles only
  const void* d_y_tangent = nullptr;
  StyleInputs tangents = {};  ///< null: 0
  StyledPointArrays point = {};
};

using AnyStyledArrays =
    std::variant<StyledActivationArrays, StyledGradientArrays, StyledSecondGradientArrays>;

/// Fills host memory, on all threads of ATen; float32 and float64 only.
void styled_activation_reference(const AnyStyledArrays& arrays, const StyledActivationTask& task);

/// How a device shares out the images: a block takes some channels of a part of the pixels of an
/// image.
struct StyledActivationBlocks {
  std::int64_t channels = 1;        ///< of a block; the last ones may have fewer
  std::int64_t channel_blocks = 1;  ///< for all channels of an image
  std::int64_t parts = 1;           ///< of the pixels
};

/// Returns blocks that keep all of a device busy, also with few images.
constexpr StyledActivationBlocks styled_activation_blocks(const ImageLayout& layout) {
  constexpr std::int64_t kBlocks = 1024;
  constexpr std::int64_t kFewestElements = 4096;  // of a block
  // Channels last: 128 bytes or more of a pixel. Contiguous: a plane, or several small ones.
  const std::int64_t channels =
      layout.channels_last
          ? 64
          : std::clamp<std::int64_t>(1024 / std::max<std::int64_t>(1, layout.pixel_count), 1, 64);
  const std::int64_t channel_blocks = (layout.channel_count + channels - 1) / channels;
  const std::int64_t blocks = std::max<std::int64_t>(1, channel_blocks * layout.image_count);
  const std::int64_t most = std::max<std::int64_t>(
      1, std::min(channels, layout.channel_count) * layout.pixel_count / kFewestElements);
  return {channels, channel_blocks,
          std::clamp<std::int64_t>((kBlocks + blocks - 1) / blocks, 1, most)};
}

/// The same in device memory, in `cuda_stream` (a cudaStream_t) of the current device; low-precision
/// types are computed in float32. A derivative leaves each block's sums, of demodulation,
/// next_styles and bias [parts, N, C], of strength [parts, N, channel_blocks], which
/// styled_sums_kernel() adds up. They throw DeviceError if the launch fails, and in a build without CUDA.
void styled_activation_kernel(const AnyStyledArrays& arrays, const StyledActivationTask& task,
                              void* cuda_stream);
void styled_sums_kernel(const StyleArrays<const void*>& of_blocks, const StyleSums& sums,
                        const ImageLayout& layout, void* cuda_stream);

}  // namespace ganscale::kernels
