#pragma once

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "optim/rules/optimizer_table.h"

namespace ganscale::optim {

/// A test optimizer that wraps an inner one: each weight is the mean of the last two weights of the
/// inner optimizer.
///
/// state(): the inner one's, and "<parameter>.inner_weight".
class Following : public Optimizer {
 public:
  explicit Following(std::unique_ptr<Optimizer> inner)
      : Optimizer(inner->parameters()), inner_(std::move(inner)) {
    for (const auto& [name, parameter] : parameters()) {
      inner_weights_.emplace(name, parameter.detach().clone());
    }
  }

  void update(double learning_rate, const Averages* /*averages*/,
              const at::Tensor& /*skip*/) override {
    inner_->step(learning_rate);
    const at::NoGradGuard no_grad;
    for (const auto& [name, parameter] : parameters()) {
      at::Tensor& inner_weight = inner_weights_.at(name);
      const at::Tensor moved = parameter.clone();
      parameter.copy_(inner_weight.lerp(moved, 0.5));
      inner_weight.copy_(moved);
    }
  }

  NamedTensors state() override {
    NamedTensors all = inner_->state();
    for (const auto& [name, weight] : inner_weights_) all.emplace(name + ".inner_weight", weight);
    return all;
  }

 private:
  std::unique_ptr<Optimizer> inner_;
  NamedTensors inner_weights_;
};

inline OptimizerBuilder parse_following(config::Section& in, const OptimizerDefaults& defaults) {
  const OptimizerBuilder inner = parse_inner(in, defaults);
  return [inner](NamedTensors parameters, double lazy_factor) {
    return std::make_unique<Following>(inner(std::move(parameters), lazy_factor));
  };
}

}  // namespace ganscale::optim
