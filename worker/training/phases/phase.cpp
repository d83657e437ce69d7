#include "training/phases/phase.h"

#include <ATen/core/grad_mode.h>
#include <torch/nn/module.h>

#include "comm/bucketed_gradients.h"
#include "kernels/nonfinite/nonfinite.h"
#include "optim/clip_gradients.h"

namespace ganscale::training {
namespace {

/// Returns nonfinite_flags() of the gradients, in the order of the optimizer's parameters.
at::Tensor flags_of(const optim::Optimizer& optimizer) {
  std::vector<at::Tensor> gradients;
  for (const auto& [name, parameter] : optimizer.parameters()) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  return kernels::nonfinite_flags(gradients);
}

void add_statistics(const NamedTensors& part, NamedTensors& sum) {
  for (const auto& [name, value] : part) {
    const auto [place, is_new] = sum.try_emplace(name, value);
    if (!is_new) place->second = place->second.add(value);
  }
}

void clamp_parameters(const optim::Optimizer& optimizer, double limit) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, parameter] : optimizer.parameters()) parameter.clamp_(-limit, limit);
}

/// Lets only the parameters that a phase trains take gradients, so that no others are computed.
class OnlyGradientsOf {
 public:
  explicit OnlyGradientsOf(const NamedTensors& parameters) : parameters_(parameters) { set(true); }
  ~OnlyGradientsOf() { set(false); }
  OnlyGradientsOf(const OnlyGradientsOf&) = delete;
  OnlyGradientsOf& operator=(const OnlyGradientsOf&) = delete;

 private:
  void set(bool requires_grad) {
    for (const auto& [name, parameter] : parameters_) parameter.set_requires_grad(requires_grad);
  }
  const NamedTensors& parameters_;
};

}  // namespace

NamedTensors compute_gradients(Phase& phase, const StepInput& input) {
  const OnlyGradientsOf only(phase.optimizer->parameters());
  phase.gradients->clear();
  NamedTensors statistics;
  for (const auto& part : phase.losses) {
    const PhaseLoss loss = part(input);
    if (&part == &phase.losses.back()) phase.gradients->begin();
    phase.gradients->backward(loss.total);
    add_statistics(loss.statistics, statistics);
  }
  phase.gradients->finish();
  return statistics;
}

at::Tensor update_network(Phase& phase, std::int64_t images_seen, const optim::Averages* averages) {
  const at::Tensor flags = flags_of(*phase.optimizer);
  if (phase.max_gradient_norm > 0) {
    optim::clip_gradients(phase.gradients->buckets(), phase.max_gradient_norm);
  }
  phase.optimizer->step(phase.learning_rate(images_seen), averages, flags[0]);
  if (phase.weight_limit > 0) clamp_parameters(*phase.optimizer, phase.weight_limit);
  return flags;
}

}  // namespace ganscale::training
