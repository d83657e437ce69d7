#pragma once

#include <torch/nn/module.h>

namespace ganscale::models {

/// Divides a layer's weight by its largest singular value, so that the layer is 1-Lipschitz.
///
/// Paper:   Miyato et al. 2018, arXiv:1802.05957, Algorithm 1.
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
