#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

/// Convolutions that double or halve the height and width of an image, on a CPU: 9 multiplications
/// for each 2x2 pixels of the larger image instead of the 16 of a convolution of stride 2 with a
/// 4x4 kernel (docs/performance.md).
namespace ganscale::kernels {

enum class Scaling : std::uint8_t {
  kDouble,  ///< repeats each pixel 2x2 times before the convolution
  kSum,     ///< sums blocks of 2x2 results after it
};

/// Returns whether scaled_convolution2d() computes this, and no trace is being recorded: float32,
/// channels last, on a CPU with AVX2, a weight of [out, in, 3, 3] with multiples of 32 channels,
/// results of 64 pixels or more, and an even height and width if they are halved.
bool has_scaled_kernel(const at::Tensor& x, const at::Tensor& weight, Scaling scaling);

/// Returns a 3x3 correlation with padding 1: of x upsampled by 2 (nearest neighbor), or summed over
/// blocks of 2x2. It has derivatives of any order.
///
/// x:       [N, in, H, W], as has_scaled_kernel() takes it, but of any size.
/// weight:  [out, in, 3, 3].
/// Returns: [N, out, 2 H, 2 W] or [N, out, H / 2, W / 2], channels last.
at::Tensor scaled_convolution2d(const at::Tensor& x, const at::Tensor& weight, Scaling scaling);

}  // namespace ganscale::kernels
