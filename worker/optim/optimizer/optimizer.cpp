#include "optim/optimizer/optimizer.h"

#include <ATen/core/grad_mode.h>

namespace ganscale::optim {

void Optimizer::step(double learning_rate, const Averages* averages, const at::Tensor& skip) {
  const at::NoGradGuard no_grad;
  if (!skip.defined() || obeys_skip()) return update(learning_rate, averages, skip);
  if (skip.item<float>() == 0) return update(learning_rate, averages, {});
  if (averages != nullptr) follow(*averages);
}

void Optimizer::follow(const Averages& averages) const {
  for (const auto& [name, parameter] : parameters()) {
    averages.tensors->at(name).lerp_(parameter, 1 - averages.beta);
  }
}

}  // namespace ganscale::optim
