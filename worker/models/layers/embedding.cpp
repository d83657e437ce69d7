#include "models/layers/embedding.h"

#include <ATen/ops/embedding.h>
#include <ATen/ops/zeros.h>

namespace ganscale::models {

Embedding::Embedding(std::int64_t label_count, std::int64_t width)
    : weight_(register_parameter("weight", at::zeros({label_count, width}))) {}

at::Tensor Embedding::forward(const at::Tensor& labels) const {
  return at::embedding(weight_, labels);
}

}  // namespace ganscale::models
