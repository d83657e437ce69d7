#pragma once

#include <string>
#include <vector>

#include "optim/optimizer/optimizer.h"

namespace ganscale::optim {

/// The device of the step counts: kernels that read them need them on the parameter's device, host
/// code on the host.
enum class StepLocation { kParameterDevice, kHost };

/// The tensors of one update of a SlotOptimizer: of parameters with a gradient, sorted by name.
struct SlotUpdate {
  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> gradients;  ///< with the parameters' layout
  std::vector<at::Tensor> steps;      ///< including this update
  std::vector<std::vector<at::Tensor>> slots;
  double learning_rate = 0;
  at::Tensor skip;  ///< as in Optimizer::step()
};

/// An optimizer whose state is, for each parameter, a step count and tensors of the parameter's
/// shape (slots).
///
/// state(): "<parameter>.step", a float32 scalar with the number of updates of this parameter, and
/// "<parameter>.<slot>", of the parameter's dtype, initially zero.
class SlotOptimizer : public Optimizer {
 public:
  NamedTensors state() final;

 protected:
  using Tensors = std::vector<at::Tensor>;

  SlotOptimizer(NamedTensors parameters, std::vector<std::string> slot_names,
                StepLocation location);

  /// Updates parameters and slots in place. Called without autograd, with at least one parameter.
  virtual void update_parameters(SlotUpdate& update) = 0;
  /// The same, and updates the averages of these parameters.
  virtual void update_with_averages(SlotUpdate& update, const Tensors& averages, double beta);

 private:
  struct State {
    at::Tensor step;
    Tensors slots;
  };

  void update(double learning_rate, const Averages* averages, const at::Tensor& skip) final;
  SlotUpdate collect(double learning_rate) const;
  static void count_update(const SlotUpdate& work);
  void update_and_follow(SlotUpdate& work, const Averages& averages);

  std::vector<std::string> slot_names_;
  std::vector<State> states_;  // in the order of parameters()
};

}  // namespace ganscale::optim
