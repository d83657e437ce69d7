#pragma once

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "optim/optimizer/optimizer_kind.h"

namespace ganscale::optim {

/// A test optimizer: each weight moves by learning rate times `scale`, against the sign of its
/// gradient.
class SignDescent : public Optimizer {
 public:
  SignDescent(NamedTensors parameters, double scale)
      : Optimizer(std::move(parameters)), scale_(scale) {}

  void update(double learning_rate, const Averages* /*averages*/,
              const at::Tensor& /*skip*/) override {
    const at::NoGradGuard no_grad;
    for (const auto& [name, parameter] : parameters()) {
      parameter.sub_(parameter.grad().sign().mul(learning_rate * scale_));
    }
  }
  NamedTensors state() override { return {}; }

 private:
  double scale_;
};

inline OptimizerBuilder parse_sign(config::Section& in, const OptimizerDefaults& /*defaults*/) {
  const double scale = in.get("scale", 1.0, "what the rate is multiplied by");
  in.require(scale > 0, "scale", "must be positive");
  return builder_of<SignDescent>(scale);
}

}  // namespace ganscale::optim
