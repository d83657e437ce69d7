#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/convolution/convolution.h"

/// The convolution of StyleGAN2, whose weight is scaled by each image's style.
///
/// Paper: Karras et al. 2020, arXiv:1912.04958, Section 2.2, Eqs. (1) to (3), and Appendix B.
namespace ganscale::kernels {

/// Returns x[n, c, ...] * scale[n, c], differentiable as often as needed.
///
/// x:       [N, C, H, W], contiguous or channels last, which the result keeps; others are copied.
/// scale:   [N, C] of x's dtype.
at::Tensor scale_channels(const at::Tensor& x, const at::Tensor& scale);

/// Returns the sums over H and W of a * b, [N, C], differentiable as often as needed: the other
/// half of the derivatives of scale_channels(). a, b: [N, C, H, W] of one dtype.
at::Tensor dot_channels(const at::Tensor& a, const at::Tensor& b);

/// How modulated_conv2d() computes.
struct ModulatedConvolution {
  Resampling resampling = {};
  bool demodulate = true;  ///< scale the results to unit variance for unit normal inputs, Eq. (3)
  /// true: each image has its own scaled weight (a grouped convolution), which is better for a
  /// single image; false: scales inputs and results instead, and all images share the weight.
  bool fused = false;
};

/// Convolves each image of x with `weight`, scaled by the image's style, and demodulates it;
/// differentiable twice.
///
/// x:       [N, in, H, W]; float16 is first scaled so that no sum overflows.
/// weight:  [out, in, K, K] with odd K.
/// styles:  [N, in].
/// filter:  of the resampling, see resampled_convolution2d().
/// Returns: [N, out, H', W'] of x's dtype.
at::Tensor modulated_conv2d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& styles,
                            const at::Tensor& filter, const ModulatedConvolution& options);

}  // namespace ganscale::kernels
