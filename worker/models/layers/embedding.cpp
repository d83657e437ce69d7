#include "models/layers/embedding.h"

#include <ATen/ops/embedding.h>

namespace ganscale::models {

Embedding::Embedding(std::int64_t label_count, std::int64_t width)
    : WeightedLayer({label_count, width}) {}

at::Tensor Embedding::forward(const at::Tensor& labels) const {
  return at::embedding(weight(), labels);
}

}  // namespace ganscale::models
