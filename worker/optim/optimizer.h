#pragma once

#include <memory>

#include "tensors/named_tensors.h"

namespace ganscale::optim {

/// Updates parameters in place from their gradients. A parameter without a gradient is left as it
/// is.
///
/// The state is made at construction, so that a checkpoint can be copied into it before the first
/// step.
class Optimizer {
 public:
  explicit Optimizer(NamedTensors parameters) : parameters_(std::move(parameters)) {}
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Does one update with this learning rate.
  virtual void step(double learning_rate) = 0;
  /// All that a checkpoint keeps, by "<parameter>.<state>", and the step count: live tensors, not
  /// copies.
  virtual NamedTensors state() = 0;

  const NamedTensors& parameters() const { return parameters_; }

 private:
  NamedTensors parameters_;
};

}  // namespace ganscale::optim
