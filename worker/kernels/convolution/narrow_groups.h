#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/convolution/convolution.h"

/// Convolutions of groups of few channels on a CPU, which oneDNN computes more slowly
/// (docs/performance.md).
namespace ganscale::kernels::narrow_groups {

/// Returns whether the functions below compute this convolution: float32, channels last, on a
/// CPU with AVX2, with several groups, results as large as x, a width that is a multiple of 4, and
/// multiples of 4 input and 16 output channels per group.
bool takes(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& options);

/// Returns convolution2d(x, weight, options) without a derivative, channels last.
at::Tensor convolve(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& options);

/// Returns whether takes(), on a CPU without AVX-512: with it, oneDNN computes weight gradients
/// faster.
bool takes_weight_gradient(const at::Tensor& x, const at::Tensor& weight,
                           const Convolution2d& options);

/// Returns the gradient of that with respect to the weight, whose sizes `weight` has. The sums do
/// not depend on the number of threads.
///
/// gradient: of the result.
at::Tensor weight_gradient(const at::Tensor& x, const at::Tensor& gradient,
                           const at::Tensor& weight, const Convolution2d& options);

}  // namespace ganscale::kernels::narrow_groups
