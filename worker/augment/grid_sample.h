#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::augment {

/// Samples images bilinearly, with zeros outside; differentiable in x as often as needed (ATen's
/// own is differentiable only once).
///
/// x:       [N, C, H, W].
/// grid:    [N, H', W', 2], x and y of every output pixel: -1 is the left (top) edge of the image,
///          1 the right (bottom) edge. Without gradient.
/// Returns: [N, C, H', W'].
at::Tensor grid_sample(const at::Tensor& x, const at::Tensor& grid);

}  // namespace ganscale::augment
