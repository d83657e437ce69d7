#include "optim/rules/adam.h"

#include "kernels/multi_tensor_adam/multi_tensor_adam.h"
#include "optim/optimizer/optimizer_keys.h"

namespace ganscale::optim {
namespace {

AdamOptions read_options(config::Section& in, const OptimizerDefaults& defaults) {
  const auto [beta1, beta2] = read_betas(in, defaults);
  return {beta1, beta2, read_epsilon(in), read_weight_decay(in)};
}

}  // namespace

Adam::Adam(NamedTensors parameters, const AdamOptions& options)
    : SlotOptimizer(std::move(parameters), {"exp_avg", "exp_avg_sq"},
                    StepLocation::kParameterDevice),
      options_(options) {}

void Adam::update_parameters(SlotUpdate& update) { update_with_averages(update, {}, 0); }

void Adam::update_with_averages(SlotUpdate& update, const Tensors& averages, double beta) {
  const kernels::AdamRule rule{update.learning_rate, options_.beta1,        options_.beta2,
                               options_.epsilon,     options_.weight_decay, options_.decoupled};
  kernels::multi_tensor_adam({.parameters = update.parameters,
                              .gradients = update.gradients,
                              .first_moments = update.slots[0],
                              .second_moments = update.slots[1],
                              .averages = averages,
                              .steps = update.steps,
                              .skip = update.skip},
                             rule, beta);
}

OptimizerBuilder builder_of(const AdamOptions& options) { return builder_of<Adam>(options); }

OptimizerBuilder parse_adam(config::Section& in, const OptimizerDefaults& defaults) {
  return builder_of(read_options(in, defaults));
}

OptimizerBuilder parse_adamw(config::Section& in, const OptimizerDefaults& defaults) {
  AdamOptions options = read_options(in, defaults);
  options.decoupled = true;
  return builder_of(options);
}

}  // namespace ganscale::optim
