#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

/// What follows a convolution of StyleGAN2's generator, up to the input of the next one.
///
/// Paper: Karras et al. 2020, arXiv:1912.04958, Section 2.2, Eq. (3), Figure 2 (d) and Appendix B.
namespace ganscale::kernels {

/// The tensors of styled_activation(); undefined ones are left out. All but y are computed with in
/// float64 if y is, otherwise in float32.
struct StyledActivationInputs {
  at::Tensor y;                  ///< [N, C, H, W] of a floating type, contiguous or channels last
  at::Tensor demodulation = {};  ///< [N, C]
  at::Tensor noise = {};         ///< [N, 1, H, W], or [1, 1, H, W] for all images
  at::Tensor strength = {};      ///< of the noise, []; defined if that is
  at::Tensor bias;               ///< [C]
  at::Tensor next_styles = {};   ///< [N, C] of the next convolution
};

/// How styled_activation() shapes its values.
struct StyledActivation {
  double gain = 1;
  std::optional<double> clamp = {};  ///< clamps values to [-clamp, clamp], for float16
  double slope = 0.2;                ///< of the leaky ReLU below 0
};

struct StyledActivationResults {
  at::Tensor value;   ///< of y's shape, dtype and layout
  at::Tensor scaled;  ///< value * next_styles, undefined without them
};

/// Returns clamp(gain * lrelu(demodulation * y + strength * noise + bias)), and that times
/// next_styles, in one pass over memory; low-precision types are computed in float32 and rounded
/// once.
///
/// Graph:   differentiable twice, each time in one pass; a third derivative is a bug. Of values
///          only the first result is kept, and y if demodulation has a gradient. The derivative is
///          0 where a value was clamped. Noise that has a gradient takes the way of the separate
///          operations.
StyledActivationResults styled_activation(const StyledActivationInputs& in,
                                          const StyledActivation& options);

}  // namespace ganscale::kernels
