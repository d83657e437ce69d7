#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

/// The operations of StyleGAN2's convolution, whose weight is scaled by each image's style. All
/// images share the weight: the convolution's inputs and results are scaled instead.
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

/// Convolves each image with one pixel's weight of its own: one product of matrices per image, or
/// on a GPU, of images channels last with few results, colors_of_features().
///
/// x:       [N, in, H, W], contiguous or channels last, which the result keeps.
/// weights: [N, out, in] of x's dtype.
/// Returns: [N, out, H, W].
at::Tensor mix_channels(const at::Tensor& x, const at::Tensor& weights);

/// Returns the factors that scale the results of modulated convolutions to unit variance for unit
/// normal inputs, Eq. (3): side by side, [N, sum of out_i].
///
/// energies:     [out_i, in_i] each, weight_energies() of its weight.
/// styles:       [N, S], each convolution's from its own column: `first_styles`.
at::Tensor demodulations(const std::vector<at::Tensor>& energies, const at::Tensor& styles,
                         const std::vector<std::int64_t>& first_styles);

/// Return weight and styles so scaled that no sum in float16 overflows; demodulation cancels both
/// factors. Each output channel has one factor, and each image.
at::Tensor weight_for_float16(const at::Tensor& weight);
at::Tensor styles_for_float16(const at::Tensor& styles);

}  // namespace ganscale::kernels
