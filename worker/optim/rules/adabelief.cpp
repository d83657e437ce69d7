#include "optim/rules/adabelief.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_foreach_sub.h>

#include <cmath>

#include "optim/optimizer/optimizer_keys.h"
#include "optim/optimizer/slot_rule.h"
#include "optim/rules/radam.h"

namespace ganscale::optim {
namespace {

/// Returns for each parameter the factor of the mean gradient after the division.
std::vector<at::Scalar> step_factors(const AdaBeliefOptions& options, const SlotUpdate& update,
                                     std::vector<at::Tensor>& denominators) {
  std::vector<at::Scalar> factors;
  for (std::size_t i = 0; i < denominators.size(); ++i) {
    const double step = update.steps[i].item<double>();
    const double rate = update.learning_rate / (1 - std::pow(options.beta1, step));
    const double bias_root = std::sqrt(1 - std::pow(options.beta2, step));
    const auto rectified = rectification(options.beta2, step);
    if (!options.rectify) {
      denominators[i].div_(bias_root).add_(options.epsilon);
      factors.emplace_back(-rate);
    } else if (rectified) {
      denominators[i].add_(options.epsilon);
      factors.emplace_back(-rate * *rectified * bias_root);
    } else {
      denominators[i].fill_(1);
      factors.emplace_back(-rate);
    }
  }
  return factors;
}

void update_adabelief(const AdaBeliefOptions& options, SlotUpdate& update) {
  auto& mean = update.slots[0];
  auto& spread = update.slots[1];
  if (options.weight_decay != 0) {
    at::_foreach_mul_(update.parameters, 1 - update.learning_rate * options.weight_decay);
  }
  at::_foreach_lerp_(mean, update.gradients, 1 - options.beta1);
  const auto residual = at::_foreach_sub(update.gradients, mean);
  at::_foreach_mul_(spread, options.beta2);
  at::_foreach_addcmul_(spread, residual, residual, 1 - options.beta2);
  at::_foreach_add_(spread, options.epsilon);

  auto denominators = at::_foreach_sqrt(spread);
  const auto factors = step_factors(options, update, denominators);
  at::_foreach_addcdiv_(update.parameters, mean, denominators, factors);
}

}  // namespace

OptimizerBuilder builder_of(const AdaBeliefOptions& options) {
  return builder_of(options, {"exp_avg", "exp_avg_var"}, update_adabelief);
}

OptimizerBuilder parse_adabelief(config::Section& in, const OptimizerDefaults& defaults) {
  constexpr double kEpsilonOfGans = 1e-12;  // the authors' choice
  const auto [beta1, beta2] = read_betas(in, defaults);
  in.require(beta1 > 0, "betas",
             "adabelief divides by the deviation of the gradient from its mean, which is 0 if the "
             "first beta is 0: use another");
  return builder_of(
      AdaBeliefOptions{beta1, beta2, read_epsilon(in, kEpsilonOfGans), read_weight_decay(in),
                       in.get("rectify", false, "rectify the first steps like RAdam")});
}

}  // namespace ganscale::optim
