#include "models/layers/weighted_layer.h"

#include <ATen/ops/zeros.h>

namespace ganscale::models {

WeightedLayer::WeightedLayer(at::IntArrayRef weight_shape)
    : weight_(register_parameter("weight", at::zeros(weight_shape))) {}

void WeightedLayer::normalize_spectrum() {
  spectral_norm_ =
      register_module("spectral_norm", std::make_shared<SpectralNorm>(weight_.size(0)));
}

at::Tensor WeightedLayer::weight() const {
  return spectral_norm_ ? spectral_norm_->forward(weight_) : weight_;
}

}  // namespace ganscale::models
