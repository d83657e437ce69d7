#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/convolution/convolution.h"

/// Convolutions of groups of few channels on a CPU: for images channels last, oneDNN takes 1.2 to 1.7
/// times as long (docs/performance.md).
namespace ganscale::kernels {

/// Returns whether the two functions below compute this convolution: float32, channels last, on a
/// CPU with AVX2, with several groups, results as large as x, a width that is a multiple of 4, and
/// multiples of 4 input and 16 output channels per group.
bool takes_narrow_groups(const at::Tensor& x, const at::Tensor& weight,
                         const Convolution2d& options);

/// Returns convolution2d(x, weight, options) without a derivative, channels last.
at::Tensor convolve_narrow_groups(const at::Tensor& x, const at::Tensor& weight,
                                  const Convolution2d& options);

/// Returns the gradient of that with respect to the weight, whose sizes `weight` has. The sums do not
/// depend on the number of threads.
///
/// gradient: of the result.
at::Tensor narrow_groups_weight_gradient(const at::Tensor& x, const at::Tensor& gradient,
                                         const at::Tensor& weight, const Convolution2d& options);

}  // namespace ganscale::kernels
