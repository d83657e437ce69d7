#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace ganscale::kernels {

/// The tensors of output_skip().
struct OutputSkipInputs {
  at::Tensor rgb;         ///< [N, C, H, W] of any floating type, with at most 4 channels
  at::Tensor bias;        ///< [C]
  at::Tensor image = {};  ///< [N, C, H, W] of bias's dtype; undefined: none so far
};

/// Returns clamp(rgb + bias) + image, contiguous and in bias's dtype, on a GPU in one pass;
/// differentiable twice. The derivative of rgb is 0 where it was clamped.
///
/// Paper: Karras et al. 2020, arXiv:1912.04958, Figure 7 (b), "output skips".
/// clamp: to [-clamp, clamp].
at::Tensor output_skip(const OutputSkipInputs& in, std::optional<double> clamp);

}  // namespace ganscale::kernels
