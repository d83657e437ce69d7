#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "models/contract/layout.h"
#include "models/layers/spectral_norm.h"

namespace ganscale::models {

/// A fully connected layer: y = x weight^T + bias. Initially zero: the network initializes the
/// weights.
///
/// Parameters: weight [out, in], bias [out]. Buffers: spectral_norm.u, if used.
class Linear : public torch::nn::Module, public LaidOut {
 public:
  Linear(std::int64_t in_features, std::int64_t out_features);

  /// Divides the weight by its largest singular value from now on.
  void normalize_spectrum();

  /// x: [N, in]. Returns [N, out].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  at::Tensor weight_;
  at::Tensor bias_;
  std::shared_ptr<SpectralNorm> spectral_norm_;
};

}  // namespace ganscale::models
