#pragma once

#include <ATen/core/Tensor.h>

#include "models/contract/layout.h"

namespace ganscale::models::stylegan3 {

struct Modulation {
  bool demodulates = true;  ///< scales results to unit variance for unit normal inputs
  std::int64_t padding = 0;
  at::Tensor input_gain = {};  ///< [], [in] or [N, in]; undefined: 1
};

/// Convolves each image of x with `weight`, scaled by the image's style; differentiable twice. All
/// images share the weight: inputs and results are scaled instead.
///
/// With demodulation, weights are first divided by their root mean square per output, and styles
/// by theirs over the whole batch, so that the sums of float16 do not overflow.
///
/// Paper:   Karras et al. 2021, arXiv:2106.12423, Section 3.2 (removal of the weights' scale) and
///          Karras et al. 2020, arXiv:1912.04958, Eqs. (1) to (3).
/// x:       [N, in, H, W] in the dtype of the computation.
/// weight:  [out, in, K, K] in the parameters' dtype.
/// styles:  [N, in] in the parameters' dtype.
/// Returns: [N, out, H + 2 padding - K + 1, W + 2 padding - K + 1] of x's dtype.
at::Tensor modulated_convolution(const at::Tensor& x, const at::Tensor& weight,
                                 const at::Tensor& styles, const Modulation& modulation,
                                 const LayoutPolicy& layout = {});

}  // namespace ganscale::models::stylegan3
