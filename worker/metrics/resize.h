#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::metrics {

/// Scales images as TensorFlow 1 does where Inception's graph asks for it: output pixel i lies at
/// i * in / out of the input, the first pixels upon each other, and takes from its two neighbors
/// linearly, without antialiasing. PyTorch's interpolate() places half a pixel elsewhere.
///
/// images:  [N, C, H, W] floating.
/// Returns: [N, C, resolution, resolution].
at::Tensor resize_as_tensorflow_1(const at::Tensor& images, std::int64_t resolution);

}  // namespace ganscale::metrics
