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
#include "optim/optimizer/slot_rule.h"

namespace ganscale::optim {
namespace {

/// Returns Adam's ratio of each parameter: the corrected mean over the corrected root and epsilon.
std::vector<at::Tensor> adam_ratios(const LambOptions& options, const SlotUpdate& update) {
  std::vector<at::Scalar> mean_corrections;
  std::vector<at::Scalar> root_corrections;
  for (const at::Tensor& count : update.steps) {
    const double step = count.item<double>();
    mean_corrections.emplace_back(1 - std::pow(options.beta1, step));
    root_corrections.emplace_back(std::sqrt(1 - std::pow(options.beta2, step)));
  }
  const auto denominators = at::_foreach_sqrt(update.slots[1]);
  at::_foreach_div_(denominators, root_corrections);
  at::_foreach_add_(denominators, options.epsilon);
  auto ratios = at::_foreach_div(update.slots[0], mean_corrections);
  at::_foreach_div_(ratios, denominators);
  return ratios;
}

void update_lamb(const LambOptions& options, SlotUpdate& update) {
  auto& [parameters, gradients, steps, slots, learning_rate, skip] = update;
  at::_foreach_lerp_(slots[0], gradients, 1 - options.beta1);
  at::_foreach_mul_(slots[1], options.beta2);
  at::_foreach_addcmul_(slots[1], gradients, gradients, 1 - options.beta2);

  const auto updates = adam_ratios(options, update);
  if (options.weight_decay != 0) {
    at::_foreach_add_(updates, parameters, options.weight_decay);
    at::_foreach_mul_(updates, trust_ratios(parameters, updates));
  }
  at::_foreach_add_(parameters, updates, -learning_rate);
}

}  // namespace

OptimizerBuilder builder_of(const LambOptions& options) {
  return builder_of(options, {"exp_avg", "exp_avg_sq"}, update_lamb);
}

OptimizerBuilder parse_lamb(config::Section& in, const OptimizerDefaults& defaults) {
  const LambOptions options;
  const auto [beta1, beta2] = read_betas(in, defaults);
  return builder_of(LambOptions{beta1, beta2, read_epsilon(in, options.epsilon),
                                read_weight_decay_of_trust(in, options.weight_decay)});
}

}  // namespace ganscale::optim
