#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "kernels/launch/kept_results.h"

namespace ganscale::kernels {

/// Returns the sums of squares over the kernel of each weight [out, in, K, K], [out, in]; on a GPU
/// by one launch, as is their gradient. Differentiable as often as needed.
///
/// weights: contiguous float32 or float64; others are copied.
/// kept:    the last energies on a GPU, which are returned again if the weights have not changed;
///          null: none.
std::vector<at::Tensor> weight_energies(const std::vector<at::Tensor>& weights,
                                        KeptResults* kept = nullptr);

/// Parts of an operator that also has the energies of its weights.
///
/// Writes the energies of weights to `out` by one launch, without a graph.
void launch_weight_energies(at::TensorList weights, at::TensorList out);
/// Returns memory for the energies of a weight.
at::Tensor empty_energies(const at::Tensor& weight);
/// Returns the gradient of a weight, given the gradient of its energies; differentiable.
at::Tensor gradient_by_energies(const at::Tensor& weight, const at::Tensor& gradient);

}  // namespace ganscale::kernels
