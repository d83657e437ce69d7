#include "optim/rules/radam.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>

#include <cmath>

#include "optim/optimizer/optimizer_keys.h"
#include "optim/optimizer/slot_rule.h"

namespace ganscale::optim {

std::optional<double> rectification(double beta2, double step) {
  const double rho_inf = 2 / (1 - beta2) - 1;
  const double decay = std::pow(beta2, step);
  const double rho = rho_inf - 2 * step * decay / (1 - decay);
  if (rho <= 5) return std::nullopt;
  return std::sqrt((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho));
}

namespace {

void update_radam(const RAdamOptions& options, SlotUpdate& update) {
  auto& [parameters, gradients, steps, slots, learning_rate, skip] = update;
  const auto& [beta1, beta2, epsilon] = options;
  at::_foreach_lerp_(slots[0], gradients, 1 - beta1);
  at::_foreach_mul_(slots[1], beta2);
  at::_foreach_addcmul_(slots[1], gradients, gradients, 1 - beta2);

  auto denominators = at::_foreach_sqrt(slots[1]);
  at::_foreach_add_(denominators, epsilon);
  std::vector<at::Scalar> factors;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double step = steps[i].item<double>();
    const double rate = learning_rate / (1 - std::pow(beta1, step));
    if (const auto rectified = rectification(beta2, step)) {
      factors.emplace_back(-rate * *rectified * std::sqrt(1 - std::pow(beta2, step)));
    } else {
      denominators[i].fill_(1);
      factors.emplace_back(-rate);
    }
  }
  at::_foreach_addcdiv_(parameters, slots[0], denominators, factors);
}

}  // namespace

OptimizerBuilder builder_of(const RAdamOptions& options) {
  return builder_of(options, {"exp_avg", "exp_avg_sq"}, update_radam);
}

OptimizerBuilder parse_radam(config::Section& in, const OptimizerDefaults& defaults) {
  const auto [beta1, beta2] = read_betas(in, defaults);
  return builder_of(RAdamOptions{beta1, beta2, read_epsilon(in)});
}

}  // namespace ganscale::optim
