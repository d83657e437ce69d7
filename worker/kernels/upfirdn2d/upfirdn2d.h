#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include "kernels/upfirdn2d/fill.h"

/// Resampling of images with finite filters, the operation under StyleGAN2's up- and downsampling
/// (Karras et al. 2020, arXiv:1912.04958, appendix B) and the augmentations of ADA (Karras et al.
/// 2020, arXiv:2006.06676, appendix B).
namespace ganscale::kernels {

/// Upsamples with zeros, pads or crops, filters and downsamples each plane of `x`; differentiable
/// in x as often as needed.
///
/// With s[i * up] = x[i], zero elsewhere, one axis with a filter of K taps is
///
///   out[o] = sum over k of filter[K - 1 - k] * s[o * down + k - pad_before]
///
/// (filter[k] if flip_filter), for as many o as the padded image has room for the whole filter.
///
/// x:       [N, C, H, W], not empty, floating.
/// filter:  [K]: along both axes, one after the other; or [Ky, Kx]; floating, without gradient. On
///          x's device.
/// Returns: [N, C, H', W'] of x's dtype, H' = (H * up_y + pad_top + pad_bottom - Ky) / down_y + 1;
///          channels last if x is, but not for fewer than eight channels. Sums are in float32,
///          for float64 in float64.
/// Throws:  Error (kBug) for another rank, an empty x or a result without a pixel.
at::Tensor upfirdn2d(const at::Tensor& x, const at::Tensor& filter, const Upfirdn& options);

/// An image, and the same resampled.
struct WithResampled {
  at::Tensor x;
  at::Tensor resampled;
};

/// Returns x and upfirdn2d() of it, for a network that goes on with both: in the backward pass,
/// the pass over memory that filters the one gradient adds the other.
WithResampled with_upfirdn2d(const at::Tensor& x, const at::Tensor& filter, const Upfirdn& options);

/// Returns x and downsample2d() of it, see with_upfirdn2d().
WithResampled with_downsampled2d(const at::Tensor& x, const at::Tensor& filter);

/// Upsamples x, [N, C, H, W], to [N, C, H * 2, W * 2]. Keeps the brightness and the center.
at::Tensor upsample2d(const at::Tensor& x, const at::Tensor& filter);

/// Filters x, [N, C, H, W], with a low pass and downsamples it to [N, C, H / 2, W / 2].
at::Tensor downsample2d(const at::Tensor& x, const at::Tensor& filter);

/// Returns a filter with the given taps, normalized to sum 1, on the CPU: [K, K] with the taps
/// along both axes, or from eight taps on [K], which takes fewer multiplications.
at::Tensor setup_filter(c10::ArrayRef<double> taps, at::ScalarType dtype = at::kFloat);

}  // namespace ganscale::kernels
