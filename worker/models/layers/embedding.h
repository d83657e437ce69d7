#pragma once

#include <torch/nn/module.h>

namespace ganscale::models {

/// A vector for each label. Starts at zero: the network draws its weights.
///
/// Parameters: weight [label_count, width].
class Embedding : public torch::nn::Module {
 public:
  Embedding(std::int64_t label_count, std::int64_t width);

  /// labels: [N] int64 in [0, label_count). Returns [N, width].
  at::Tensor forward(const at::Tensor& labels) const;

 private:
  at::Tensor weight_;
};

}  // namespace ganscale::models
