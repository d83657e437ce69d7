#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace ganscale::kernels {

/// How the copy of a weight [out, in, K, K] lies in memory. Tensors of other shapes are contiguous.
enum class WeightLayout {
  kContiguous,
  kChannelsLast,
  kTransposedChannelsLast,  ///< that of [in, out, K, K], which a transposed convolution takes
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
std::vector<at::Tensor> scaled_copies(const std::vector<ScaledWeight>& weights,
                                      at::ScalarType dtype);

}  // namespace ganscale::kernels
