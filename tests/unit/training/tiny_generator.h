#pragma once

#include <ATen/ops/zeros.h>

#include "models/contract/networks.h"

namespace ganscale::training {

/// Makes gray images of 2 x 2 pixels: each is the weight. The buffer is unused.
class TinyGenerator : public models::Generator {
 public:
  TinyGenerator() : Generator({.channels = 1, .resolution = 2}, /*z_dim=*/4, /*label_count=*/0) {
    weight = register_parameter("weight", at::zeros({1}));
    mean = register_buffer("mean", at::zeros({1}));
  }

  at::Tensor forward(const at::Tensor& z, const at::Tensor& /*labels*/,
                     kernels::RandomStream& /*random*/) override {
    return weight.expand({z.size(0), 1, 2, 2});
  }

  at::Tensor weight;
  at::Tensor mean;
};

}  // namespace ganscale::training
