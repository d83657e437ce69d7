#include "models/layers/embedding.h"

#include <ATen/ops/embedding.h>
#include <ATen/ops/zeros.h>

namespace ganscale::models {

Embedding::Embedding(std::int64_t label_count, std::int64_t width)
    : weight_(register_parameter("weight", at::zeros({label_count, width}))) {}

void Embedding::normalize_spectrum() {
  spectral_norm_ =
      register_module("spectral_norm", std::make_shared<SpectralNorm>(weight_.size(0)));
}

at::Tensor Embedding::forward(const at::Tensor& labels) const {
  return at::embedding(spectral_norm_ ? spectral_norm_->forward(weight_) : weight_, labels);
}

}  // namespace ganscale::models
