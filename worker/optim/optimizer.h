#pragma once

#include <memory>

#include "tensors/named_tensors.h"

namespace ganscale::optim {

/// Averages that follow the parameters of an optimizer.
struct Averages {
  /// By the parameters' names, of their shapes, dtypes and strides.
  const NamedTensors* tensors = nullptr;
  double beta = 0;  ///< average = beta * average + (1 - beta) * parameter
};

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

  /// Does one update with this learning rate. Averages, where given, then move toward the
  /// parameters, in the same pass over memory where the update is one.
  virtual void step(double learning_rate, const Averages* averages = nullptr) = 0;
  /// All that a checkpoint keeps, by "<parameter>.<state>", and the step count: live tensors, not
  /// copies.
  virtual NamedTensors state() = 0;

  const NamedTensors& parameters() const { return parameters_; }

 private:
  NamedTensors parameters_;
};

}  // namespace ganscale::optim
