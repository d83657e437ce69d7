#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::losses {

/// Returns the R1 penalty of each sample, gamma/2 * |dD(x)/dx|^2.
///
/// Paper:   Mescheder et al. 2018, arXiv:1801.04406, Eq. (9).
/// real:    [N, C, H, W] in [-1, 1]; requires_grad was set before D(real).
/// logits:  [N], D(real), still attached to the graph. The inner pass computes no weight gradients.
/// Returns: [N] on real's device, attached (its backward pass is second order).
/// Throws:  ConfigError if gamma < 0.
at::Tensor r1_penalty(const at::Tensor& real, const at::Tensor& logits, double gamma);

}  // namespace ganscale::losses
