#pragma once

#include <memory>
#include <optional>

#include "base/non_copyable.h"
#include "tensors/named_tensors.h"

namespace ganscale::optim {

/// Moving averages of an optimizer's parameters.
struct Averages {
  /// By parameter name, with the parameters' shapes, dtypes and strides.
  const NamedTensors* tensors = nullptr;
  double beta = 0;  ///< average = beta * average + (1 - beta) * parameter
};

/// Updates parameters in place. Skips parameters without a gradient.
///
/// The state is allocated at construction, so that a checkpoint can be copied into it before the
/// first step.
class Optimizer : NonCopyable {
 public:
  explicit Optimizer(NamedTensors parameters) : parameters_(std::move(parameters)) {}
  virtual ~Optimizer() = default;

  /// Performs one update with this learning rate, then updates the averages, if given; in the same
  /// pass over memory if the optimizer supports it.
  ///
  /// skip: float32 scalar on the parameters' device. If it is not 0, the averages are updated and
  ///       nothing else. Undefined: 0.
  void step(double learning_rate, const Averages* averages = nullptr, const at::Tensor& skip = {});
  /// Returns the state for a checkpoint, by "<parameter>.<state>", and the step count: live
  /// tensors, not copies.
  virtual NamedTensors state() = 0;

  /// Returns the decay of the mean of the squared gradient, if set_beta2() may change it.
  virtual std::optional<double> beta2() const { return std::nullopt; }
  /// Sets it for the next updates, of an optimizer that has one; bias corrections, too, are by it.
  virtual void set_beta2(double /*beta2*/) {}

  const NamedTensors& parameters() const { return parameters_; }

 protected:
  /// step(); if the optimizer does not obey `skip`, that is undefined.
  virtual void update(double learning_rate, const Averages* averages, const at::Tensor& skip) = 0;
  /// Moves the averages toward the parameters as they are.
  void follow(const Averages& averages) const;
  /// Whether update() obeys `skip` on its device; else the host reads it, and waits.
  virtual bool obeys_skip() const { return false; }

 private:
  NamedTensors parameters_;
};

}  // namespace ganscale::optim
