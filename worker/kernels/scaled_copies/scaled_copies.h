#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "kernels/launch/kept_results.h"

namespace ganscale::kernels {

/// How the copy of a weight [out, in, K, K] lies in memory. Tensors of other shapes are contiguous.
enum class WeightLayout {
  kContiguous,
  kChannelsLast,
  kTransposedChannelsLast,  ///< [in, out, K, K], as a transposed convolution takes it
};

/// A parameter, and how a layer takes it.
struct ScaledWeight {
  at::Tensor weight;  ///< float32 or float64
  double factor = 1;
  WeightLayout layout = WeightLayout::kContiguous;
};

/// Returns factor * weight of each in `dtype` and its layout, rounded once. On a GPU they are one
/// launch, and so is their gradient; what is neither scaled nor converted is returned as it is.
///
/// Its derivatives are of this kind as well.
///
/// kept: the weights' last copies on a GPU, which are returned again if the weights have not
///       changed; null: none.
std::vector<at::Tensor> scaled_copies(const std::vector<ScaledWeight>& weights,
                                      at::ScalarType dtype, KeptResults* kept = nullptr);

/// Copies of weights [out, in, K, K], and the energies of the weights themselves.
struct CopiesAndEnergies {
  std::vector<at::Tensor> copies;
  std::vector<at::Tensor> energies;
};

/// Returns scaled_copies() and weight_energies() of the same weights. On a GPU one launch computes
/// the gradient of both, in one pass over memory.
CopiesAndEnergies copies_and_energies(const std::vector<ScaledWeight>& weights,
                                      at::ScalarType dtype, KeptResults* kept = nullptr);

}  // namespace ganscale::kernels
