#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/convolution/tiles.h"

/// Convolutions of images that are divided into tiles, in several threads.
namespace ganscale::kernels::tiles {

struct Layer {
  const Method& method;
  Shape shape;
  /// Weights are [inputs, outputs, 3, 3] and rotated by 180 degrees, instead of [outputs, inputs,
  /// 3, 3].
  bool transposed;

  std::int64_t y_height() const { return shape.tile_rows * method.results; }
  std::int64_t y_width() const { return shape.tile_columns * method.results; }
};

/// Returns whether the functions below compute a layer: float32 on a CPU with AVX2, 3x3 kernels,
/// multiples of 32 channels on both sides, and at least one tile.
bool can_convolve(const Layer& layer, const at::Tensor& x, const at::Tensor& weight);

/// Returns whether that is faster than LibTorch: for few pixels, transforming the weight takes too
/// long.
bool is_fast(const Layer& layer);

/// Returns the results. An image's depend neither on the others nor on the number of threads.
///
/// x:       [N, inputs, H, W], channels last.
/// weight:  see Layer.
/// Returns: [N, outputs, y_height, y_width], channels last.
at::Tensor convolve(const Layer& layer, const at::Tensor& x, const at::Tensor& weight);

/// Returns the gradient with respect to the weight, whose sizes `weight` has. The sums do not
/// depend on the number of threads.
///
/// x, gradient (of the results): channels last.
at::Tensor weight_gradient(const Layer& layer, const at::Tensor& x, const at::Tensor& gradient,
                           const at::Tensor& weight);

}  // namespace ganscale::kernels::tiles
