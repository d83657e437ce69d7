#include "models/layers/linear.h"

#include <ATen/ops/zeros.h>

namespace ganscale::models {

Linear::Linear(std::int64_t in_features, std::int64_t out_features)
    : WeightedLayer({out_features, in_features}),
      bias_(register_parameter("bias", at::zeros({out_features}))) {}

at::Tensor Linear::forward(const at::Tensor& x) const {
  return multiplied(x, weight(), bias_, layout());
}

}  // namespace ganscale::models
