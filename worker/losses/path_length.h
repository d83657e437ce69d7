#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::losses {

/// Returns the path length of each image, |J_w^T y| for random images y.
///
/// Paper:   Karras et al. 2020, arXiv:1912.04958, Eq. (4) and Appendix B: the root of the mean over
///          layers of the squared lengths.
/// images:  [N, C, H, W], G(w), still attached to the graph. No weight gradients are computed.
/// w:       [N, L, D]; the images' style vectors, in their graph.
/// noise:   [N, C, H, W], standard normal.
/// Returns: [N], attached (its backward pass is second order).
at::Tensor path_lengths(const at::Tensor& images, const at::Tensor& w, const at::Tensor& noise);

}  // namespace ganscale::losses
