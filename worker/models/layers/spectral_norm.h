#pragma once

#include <torch/nn/module.h>

namespace ganscale::models {

/// Returns an estimate of the largest singular value of a weight, flattened to [out, rest], after
/// one power iteration.
///
/// Paper:   Miyato et al. 2018, arXiv:1802.05957, Algorithm 1.
/// weight:  [out, ...].
/// u:       [out], the estimate of the left singular vector; with `keeps_u` it becomes the
///          improved one.
/// epsilon: the least length that a vector is divided by.
/// Returns: a scalar of weight's dtype, attached to the graph of `weight`; the vectors are
///          constants.
at::Tensor largest_singular_value(const at::Tensor& weight, const at::Tensor& u, double epsilon,
                                  bool keeps_u);

/// Divides a layer's weight by its largest singular value, so that the layer is 1-Lipschitz.
///
/// Paper:   as above.
/// Buffers: u [out], the estimate of the left singular vector, improved by one power iteration in
///          each training pass. Initially zero: the network initializes it.
class SpectralNorm : public torch::nn::Module {
 public:
  explicit SpectralNorm(std::int64_t out_features);

  /// weight: [out, ...]. Returns the same shape, attached to the graph of `weight`.
  at::Tensor forward(const at::Tensor& weight) const;

 private:
  at::Tensor u_;
};

}  // namespace ganscale::models
