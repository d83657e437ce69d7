#include "losses/r1_penalty.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/autograd.h>

#include <string>

#include "base/error.h"

namespace ganscale::losses {

at::Tensor r1_penalty(const at::Tensor& real, const at::Tensor& logits, double gamma) {
  if (gamma < 0) {
    throw ConfigError("discriminator.r1_gamma must not be negative: " + std::to_string(gamma));
  }
  check(real.requires_grad(), "R1 needs real.requires_grad to be set before D(real)");
  // One backward pass for all samples. If D mixes them, this sum is what the reference uses, too.
  const auto gradient = torch::autograd::grad({logits.sum()}, {real}, /*grad_outputs=*/{},
                                              /*retain_graph=*/true, /*create_graph=*/true)[0];
  return gradient.square().sum({1, 2, 3}) * (gamma / 2);
}

}  // namespace ganscale::losses
