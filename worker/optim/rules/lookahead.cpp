#include "optim/rules/lookahead.h"

#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/zeros.h>

#include "optim/rules/optimizer_table.h"

namespace ganscale::optim {

Lookahead::Lookahead(std::unique_ptr<Optimizer> inner, const LookaheadOptions& options)
    : Optimizer(inner->parameters()),
      inner_(std::move(inner)),
      options_(options),
      updates_(at::zeros({}, at::kLong)) {
  for (const auto& [name, parameter] : parameters()) {
    slow_weights_.emplace(name, parameter.detach().clone());
  }
}

void Lookahead::update(double learning_rate, const Averages* averages, const at::Tensor& /*skip*/) {
  const auto weights = values(parameters());
  const auto slow_weights = values(slow_weights_);
  // Here and not at the end of the round, since others may set or clamp the weights in between.
  const auto updates = updates_.item<std::int64_t>() + 1;
  if (updates == 1) at::_foreach_copy_(slow_weights, weights);
  updates_.fill_(updates < options_.interval ? updates : 0);
  if (updates < options_.interval) return inner_->step(learning_rate, averages);
  inner_->step(learning_rate);
  at::_foreach_lerp_(weights, slow_weights, 1 - options_.slow_step);
  if (averages != nullptr) follow(*averages);
}

NamedTensors Lookahead::state() {
  NamedTensors all = inner_->state();
  for (const auto& [name, weight] : slow_weights_) all.emplace(name + ".slow_weight", weight);
  all.emplace("lookahead.updates", updates_);
  return all;
}

std::vector<at::Tensor> Lookahead::values(const NamedTensors& tensors) {
  std::vector<at::Tensor> result;
  for (const auto& [name, tensor] : tensors) result.push_back(tensor);
  return result;
}

OptimizerBuilder parse_lookahead(config::Section& in, const OptimizerDefaults& defaults) {
  LookaheadOptions options;
  options.interval = in.get("interval", options.interval,
                            "inner updates between two steps of the slow weights (the paper's k)");
  in.require(options.interval, config::above(0), "interval", "must be positive");
  options.slow_step =
      in.get("slow_step", options.slow_step, "step of the slow weights (the paper's alpha)");
  in.require(options.slow_step > 0 && options.slow_step <= 1, "slow_step",
             "must be above 0 and at most 1");
  const OptimizerBuilder inner = parse_inner(in, defaults);
  return [inner, options](NamedTensors parameters, double lazy_factor) {
    return std::make_unique<Lookahead>(inner(std::move(parameters), lazy_factor), options);
  };
}

}  // namespace ganscale::optim
