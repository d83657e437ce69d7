#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::metrics {

/// Resizes images as TensorFlow 1 does in Inception's graph: output pixel i is at i * in / out of
/// the input and interpolates linearly between its two neighbors, without antialiasing. PyTorch's
/// interpolate() is shifted by half a pixel.
///
/// images:  [N, C, H, W], floating point.
/// Returns: [N, C, resolution, resolution].
at::Tensor resize_as_tensorflow_1(const at::Tensor& images, std::int64_t resolution);

}  // namespace ganscale::metrics
