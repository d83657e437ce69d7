#include "training/phases/phase.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/stack.h>
#include <torch/nn/module.h>

#include <cmath>

#include "comm/bucketed_gradients.h"

namespace ganscale::training {
namespace {

/// A sum is NaN or infinite where one of its terms is; it costs one pass and no memory, and the
/// host waits for the device once.
bool all_finite(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> sums;
  for (const auto& tensor : tensors) sums.push_back(tensor.detach().sum().to(at::kDouble));
  return std::isfinite(at::stack(sums).sum().item<double>());
}

/// Returns the name of the first parameter whose gradient is not finite, or nothing.
std::string first_nonfinite(const Phase& phase) {
  if (all_finite(phase.gradients->buckets())) return "";
  for (const auto& [name, parameter] : phase.optimizer->parameters()) {
    if (!all_finite({parameter.grad()})) return name;
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

std::string update_network(Phase& phase, std::int64_t images_seen,
                           const optim::Averages* averages) {
  std::string nonfinite = first_nonfinite(phase);
  if (!nonfinite.empty()) return nonfinite;
  phase.optimizer->step(phase.learning_rate(images_seen), averages);
  if (phase.weight_limit > 0) clamp_parameters(*phase.optimizer, phase.weight_limit);
  return {};
}

}  // namespace ganscale::training
