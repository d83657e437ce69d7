#include "optim/rules/sgd.h"

#include <ATen/ops/_fused_sgd.h>

#include "base/error.h"
#include "kernels/launch/count_change.h"
#include "optim/optimizer/optimizer_keys.h"
#include "optim/optimizer/slot_rule.h"

namespace ganscale::optim {
namespace {

std::vector<std::string> slot_names(const SgdOptions& options) {
  if (options.momentum == 0) return {};
  return {"momentum_buffer"};
}

void update_sgd(const SgdOptions& options, SlotUpdate& update) {
  // Velocities start at zero, so the first step is not a special case.
  at::_fused_sgd_(update.parameters, update.gradients,
                  update.slots.empty() ? at::TensorList{} : at::TensorList(update.slots[0]),
                  options.weight_decay, options.momentum, update.learning_rate,
                  /*dampening=*/0.0, options.nesterov, /*maximize=*/false,
                  /*is_first_step=*/false);
  kernels::count_change(update.parameters);  // this operator does not, unlike others
}

}  // namespace

OptimizerBuilder builder_of(const SgdOptions& options) {
  check(!options.nesterov || options.momentum > 0, "Nesterov needs momentum");
  return builder_of(options, slot_names(options), update_sgd);
}

OptimizerBuilder parse_sgd(config::Section& in, const OptimizerDefaults& /*defaults*/) {
  SgdOptions options;
  options.momentum = read_momentum(in);
  options.nesterov = in.get("nesterov", options.nesterov, "use Nesterov momentum");
  in.require(!options.nesterov || options.momentum > 0, "nesterov", "needs momentum");
  options.weight_decay = read_weight_decay(in);
  return builder_of(options);
}

}  // namespace ganscale::optim
