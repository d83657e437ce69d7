#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace ganscale::kernels {

/// Returns the sums of squares over the kernel of each weight [out, in, K, K], [out, in]; on a GPU
/// by one launch, as is their gradient. Differentiable as often as needed.
///
/// weights: contiguous float32 or float64; others are copied.
std::vector<at::Tensor> weight_energies(const std::vector<at::Tensor>& weights);

}  // namespace ganscale::kernels
