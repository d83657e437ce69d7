#pragma once

#include "kernels/convolution/convolution.h"
#include "kernels/modulated_conv/modulated_conv.h"
#include "kernels/weight_energies/weight_energies.h"

namespace ganscale::kernels {

/// How modulated_conv2d() computes.
struct ModulatedConvolution {
  Resampling resampling = {};
  bool demodulate = true;
};

/// Convolves each image of x with `weight`, scaled by the image's style, and demodulates it: the
/// operations that StyleGAN2's layers spread over their passes, as one function, which the reference
/// implementation has as well.
///
/// x:       [N, in, H, W].
/// weight:  [out, in, K, K] with odd K.
/// styles:  [N, in].
/// filter:  of the resampling, see resampled_convolution2d().
/// Returns: [N, out, H', W'] of x's dtype.
inline at::Tensor modulated_conv2d(const at::Tensor& x, const at::Tensor& weight,
                                   const at::Tensor& styles, const at::Tensor& filter,
                                   const ModulatedConvolution& options) {
  const auto dtype = x.scalar_type();
  const bool may_overflow = dtype == at::kHalf && options.demodulate;
  const at::Tensor kernel = may_overflow ? weight_for_float16(weight) : weight;
  const at::Tensor scales = may_overflow ? styles_for_float16(styles) : styles;
  const at::Tensor y = resampled_convolution2d(scale_channels(x, scales.to(dtype)),
                                               kernel.to(dtype), filter, options.resampling);
  if (!options.demodulate) return y;
  return scale_channels(y, demodulations(weight_energies({kernel}), scales, {0}).to(dtype));
}

}  // namespace ganscale::kernels
