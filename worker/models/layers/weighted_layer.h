#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "models/layers/spectral_norm.h"

namespace ganscale::models {

/// A layer with a weight, which may be divided by its largest singular value. Initially zero: the
/// network initializes the weights.
///
/// Parameters: weight [out, ...]. Buffers: spectral_norm.u, if used.
class WeightedLayer : public torch::nn::Module {
 public:
  /// Divides the weight by its largest singular value from now on.
  void normalize_spectrum();

 protected:
  explicit WeightedLayer(at::IntArrayRef weight_shape);

  /// Returns what a pass computes with: the weight, normalized after normalize_spectrum(). In
  /// training mode each call improves the estimate of the singular value.
  at::Tensor weight() const;

 private:
  at::Tensor weight_;
  std::shared_ptr<SpectralNorm> spectral_norm_;
};

}  // namespace ganscale::models
