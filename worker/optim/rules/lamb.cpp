#include "optim/rules/lamb.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>

#include <cmath>

#include "optim/optimizer/norms.h"
#include "optim/optimizer/optimizer_keys.h"

namespace ganscale::optim {

Lamb::Lamb(NamedTensors parameters, const LambOptions& options)
    : SlotOptimizer(std::move(parameters), {"exp_avg", "exp_avg_sq"}, StepLocation::kHost),
      options_(options) {}

void Lamb::update_parameters(Update& update) {
  auto& [parameters, gradients, steps, slots, learning_rate, skip] = update;
  at::_foreach_lerp_(slots[0], gradients, 1 - options_.beta1);
  at::_foreach_mul_(slots[1], options_.beta2);
  at::_foreach_addcmul_(slots[1], gradients, gradients, 1 - options_.beta2);

  const Tensors updates = ratios(update);
  if (options_.weight_decay != 0) {
    at::_foreach_add_(updates, parameters, options_.weight_decay);
    at::_foreach_mul_(updates, trust_ratios(parameters, updates));
  }
  at::_foreach_add_(parameters, updates, -learning_rate);
}

Lamb::Tensors Lamb::ratios(const Update& update) const {
  std::vector<at::Scalar> mean_corrections;
  std::vector<at::Scalar> root_corrections;
  for (const at::Tensor& count : update.steps) {
    const double step = count.item<double>();
    mean_corrections.emplace_back(1 - std::pow(options_.beta1, step));
    root_corrections.emplace_back(std::sqrt(1 - std::pow(options_.beta2, step)));
  }
  const Tensors denominators = at::_foreach_sqrt(update.slots[1]);
  at::_foreach_div_(denominators, root_corrections);
  at::_foreach_add_(denominators, options_.epsilon);
  Tensors ratios = at::_foreach_div(update.slots[0], mean_corrections);
  at::_foreach_div_(ratios, denominators);
  return ratios;
}

OptimizerBuilder parse_lamb(config::Section& in, const OptimizerDefaults& defaults) {
  const LambOptions options;
  const auto [beta1, beta2] = read_betas(in, defaults);
  return builder_of<Lamb>(LambOptions{beta1, beta2, read_epsilon(in, options.epsilon),
                                      read_weight_decay_of_trust(in, options.weight_decay)});
}

}  // namespace ganscale::optim
