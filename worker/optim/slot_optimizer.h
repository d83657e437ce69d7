#pragma once

#include <string>
#include <vector>

#include "optim/optimizer.h"

namespace ganscale::optim {

/// Where a parameter's step count lies: kernels that read it themselves want it beside the
/// parameter, formulas that we evaluate want it on the host.
enum class StepLocation { kParameterDevice, kHost };

/// An optimizer whose state is, for every parameter, a step count and some tensors of the
/// parameter's shape (its slots).
///
/// state(): "<parameter>.step", a float32 scalar that counts the updates this parameter has had,
/// and "<parameter>.<slot>", of the parameter's dtype, zero at first.
class SlotOptimizer : public Optimizer {
 public:
  void step(double learning_rate, const Averages* averages = nullptr) final;
  NamedTensors state() final;

 protected:
  using Tensors = std::vector<at::Tensor>;

  /// What one update works on: the parameters that have a gradient, in the order of their names.
  struct Update {
    Tensors parameters;
    Tensors gradients;  ///< of the parameters' layout
    Tensors steps;      ///< this update included
    std::vector<Tensors> slots;
    double learning_rate = 0;
  };

  SlotOptimizer(NamedTensors parameters, std::vector<std::string> slot_names,
                StepLocation location);

  /// Changes the parameters and the slots in place. Runs without graph, for one parameter at least.
  virtual void update(Update& update) = 0;
  /// The same, and moves the averages of these parameters.
  virtual void update_with_averages(Update& update, const Tensors& averages, double beta);

 private:
  struct State {
    at::Tensor step;
    Tensors slots;
  };

  Update collect(double learning_rate) const;
  void update_and_follow(Update& work, const Averages& averages);

  std::vector<std::string> slot_names_;
  std::vector<State> states_;  // in the order of parameters()
};

}  // namespace ganscale::optim
