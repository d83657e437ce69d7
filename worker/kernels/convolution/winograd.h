#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/convolution/convolution.h"

/// Convolutions with 3x3 kernels on a CPU: 16 multiplications for each 2x2 results instead of 36
/// (docs/performance.md).
///
/// Paper: Lavin & Gray 2016, arXiv:1509.09308, Section 4.1: F(2x2, 3x3).
namespace ganscale::kernels::winograd {

/// Returns whether the functions below compute this: float32, channels last, on a CPU with AVX2,
/// one group, stride 1, 3x3 kernels, an even height and width, results of 64 pixels or more, and
/// multiples of 32 channels on both sides.
bool takes(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& options);

/// Returns convolution2d(x, weight, options) without a derivative, channels last. An image's result
/// depends neither on the others nor on the number of threads.
///
/// x: [N, in, H, W]; weight: [out, in, 3, 3], or [in, out, 3, 3] if transposed.
at::Tensor convolve(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& options);

/// Returns the gradient of that with respect to the weight, whose sizes `weight` has. The sums do
/// not depend on the number of threads.
///
/// gradient: of the result.
at::Tensor weight_gradient(const at::Tensor& x, const at::Tensor& gradient,
                           const at::Tensor& weight, const Convolution2d& options);

}  // namespace ganscale::kernels::winograd
