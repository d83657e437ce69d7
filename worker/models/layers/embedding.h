#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "models/layers/spectral_norm.h"

namespace ganscale::models {

/// A vector for each label. Initially zero: the network initializes the weights.
///
/// Parameters: weight [label_count, width]. Buffers: spectral_norm.u, if used.
class Embedding : public torch::nn::Module {
 public:
  Embedding(std::int64_t label_count, std::int64_t width);

  /// Divides the weight by its largest singular value from now on.
  void normalize_spectrum();

  /// labels: [N] int64 in [0, label_count). Returns [N, width].
  at::Tensor forward(const at::Tensor& labels) const;

 private:
  at::Tensor weight_;
  std::shared_ptr<SpectralNorm> spectral_norm_;
};

}  // namespace ganscale::models
