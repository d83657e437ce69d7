#include "optim/rules/sgd.h"

#include <ATen/ops/_fused_sgd.h>

#include "base/error.h"
#include "kernels/launch/count_change.h"
#include "optim/optimizer/optimizer_keys.h"

namespace ganscale::optim {
namespace {

std::vector<std::string> slot_names(const SgdOptions& options) {
  if (options.momentum == 0) return {};
  return {"momentum_buffer"};
}

}  // namespace

Sgd::Sgd(NamedTensors parameters, const SgdOptions& options)
    : SlotOptimizer(std::move(parameters), slot_names(options), StepLocation::kHost),
      options_(options) {
  check(!options.nesterov || options.momentum > 0, "Nesterov needs momentum");
}

void Sgd::update_parameters(Update& update) {
  // Velocities start at zero, so the first step is not a special case.
  at::_fused_sgd_(update.parameters, update.gradients,
                  update.slots.empty() ? at::TensorList{} : at::TensorList(update.slots[0]),
                  options_.weight_decay, options_.momentum, update.learning_rate,
                  /*dampening=*/0.0, options_.nesterov, /*maximize=*/false,
                  /*is_first_step=*/false);
  kernels::count_change(update.parameters);  // this operator does not, unlike others
}

OptimizerBuilder parse_sgd(config::Section& in, const OptimizerDefaults& /*defaults*/) {
  SgdOptions options;
  options.momentum = read_momentum(in);
  options.nesterov = in.get("nesterov", options.nesterov, "use Nesterov momentum");
  in.require(!options.nesterov || options.momentum > 0, "nesterov", "needs momentum");
  options.weight_decay = read_weight_decay(in);
  return builder_of<Sgd>(options);
}

}  // namespace ganscale::optim
