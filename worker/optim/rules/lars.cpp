#include "optim/rules/lars.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_mul.h>

#include "optim/optimizer/norms.h"
#include "optim/optimizer/optimizer_keys.h"
#include "optim/optimizer/slot_rule.h"

namespace ganscale::optim {
namespace {

void update_lars(const LarsOptions& options, SlotUpdate& update) {
  const double decay = options.weight_decay;
  std::vector<at::Tensor> directions = update.gradients;
  if (decay != 0) {
    directions = at::_foreach_add(update.gradients, update.parameters, decay);
    at::_foreach_mul_(directions, trust_ratios(update.parameters, update.gradients,
                                               {options.trust, decay, options.epsilon}));
  }
  const auto& velocities = update.slots[0];
  at::_foreach_mul_(velocities, options.momentum);
  at::_foreach_add_(velocities, directions);
  at::_foreach_add_(update.parameters, velocities, -update.learning_rate);
}

}  // namespace

OptimizerBuilder builder_of(const LarsOptions& options) {
  return builder_of(options, {"momentum_buffer"}, update_lars);
}

OptimizerBuilder parse_lars(config::Section& in, const OptimizerDefaults& /*defaults*/) {
  LarsOptions options;
  options.momentum = read_momentum(in);
  options.weight_decay = read_weight_decay_of_trust(in, options.weight_decay);
  options.trust =
      in.get("trust", options.trust,
             "trust coefficient: scales the ratio of the norms of a tensor's weights and gradient");
  in.require(options.trust, config::above(0), "trust", "must be positive");
  options.epsilon = read_epsilon(in, options.epsilon);
  return builder_of(options);
}

}  // namespace ganscale::optim
