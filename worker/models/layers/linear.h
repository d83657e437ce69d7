#pragma once

#include <torch/nn/module.h>

namespace ganscale::models {

/// A fully connected layer: y = x weight^T + bias. Starts at zero: the network draws its weights.
///
/// Parameters: weight [out, in], bias [out].
class Linear : public torch::nn::Module {
 public:
  Linear(std::int64_t in_features, std::int64_t out_features);

  /// x: [N, in]. Returns [N, out].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  at::Tensor weight_;
  at::Tensor bias_;
};

}  // namespace ganscale::models
