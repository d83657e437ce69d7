#include "optim/rules/rmsprop.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>

#include "optim/optimizer/optimizer_keys.h"

namespace ganscale::optim {

Rmsprop::Rmsprop(NamedTensors parameters, const RmspropOptions& options)
    : SlotOptimizer(std::move(parameters), {"square_avg"}, StepLocation::kHost),
      options_(options) {}

void Rmsprop::update_parameters(Update& update) {
  auto& mean_square = update.slots[0];
  at::_foreach_mul_(mean_square, options_.smoothing);
  at::_foreach_addcmul_(mean_square, update.gradients, update.gradients, 1 - options_.smoothing);
  auto denominators = at::_foreach_sqrt(mean_square);
  at::_foreach_add_(denominators, options_.epsilon);
  at::_foreach_addcdiv_(update.parameters, update.gradients, denominators, -update.learning_rate);
}

OptimizerBuilder parse_rmsprop(config::Section& in, const OptimizerDefaults& /*defaults*/) {
  RmspropOptions options;
  options.smoothing = in.get("smoothing", options.smoothing,
                             "smoothing constant of the mean square (PyTorch: alpha)");
  in.require(options.smoothing >= 0 && options.smoothing < 1, "smoothing",
             "must be at least 0 and below 1");
  options.epsilon = read_epsilon(in);
  return builder_of<Rmsprop>(options);
}

}  // namespace ganscale::optim
