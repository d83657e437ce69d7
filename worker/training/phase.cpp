#include "training/phase.h"

#include <ATen/core/grad_mode.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <cmath>

#include "comm/bucketed_gradients.h"

namespace ganscale::training {
namespace {

/// A sum is NaN or infinite where one of its terms is; it costs one pass and no memory.
bool all_finite(const at::Tensor& tensor) {
  return std::isfinite(tensor.detach().sum().item<double>());
}

/// Returns the name of the first parameter whose gradient is not finite, or nothing.
std::string first_nonfinite(const Phase& phase) {
  const auto buckets = phase.gradients->buckets();
  if (std::all_of(buckets.begin(), buckets.end(), all_finite)) return "";
  for (const auto& [name, parameter] : phase.optimizer->parameters()) {
    if (!all_finite(parameter.grad())) return name;
  }
  return "the sum of all gradients";
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

PhaseResult run_phase(Phase& phase, const StepInput& input, std::int64_t images_seen,
                      const optim::Averages* averages) {
  const OnlyGradientsOf only(phase.optimizer->parameters());
  phase.gradients->zero();
  PhaseResult result;
  for (const auto& part : phase.losses) {
    const PhaseLoss loss = part(input);
    if (&part == &phase.losses.back()) phase.gradients->begin();
    phase.gradients->backward(loss.total);
    add_statistics(loss.statistics, result.statistics);
  }
  phase.gradients->finish();
  result.nonfinite = first_nonfinite(phase);
  if (result.nonfinite.empty()) {
    phase.optimizer->step(phase.learning_rate(images_seen), averages);
    if (phase.weight_limit > 0) clamp_parameters(*phase.optimizer, phase.weight_limit);
  }
  return result;
}

}  // namespace ganscale::training
