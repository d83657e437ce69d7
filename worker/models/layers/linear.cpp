#include "models/layers/linear.h"

#include <ATen/ops/zeros.h>

namespace ganscale::models {

Linear::Linear(std::int64_t in_features, std::int64_t out_features)
    : weight_(register_parameter("weight", at::zeros({out_features, in_features}))),
      bias_(register_parameter("bias", at::zeros({out_features}))) {}

void Linear::normalize_spectrum() {
  spectral_norm_ =
      register_module("spectral_norm", std::make_shared<SpectralNorm>(weight_.size(0)));
}

at::Tensor Linear::forward(const at::Tensor& x) const {
  return multiplied(x, spectral_norm_ ? spectral_norm_->forward(weight_) : weight_, bias_,
                    layout());
}

}  // namespace ganscale::models
