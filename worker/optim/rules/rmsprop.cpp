#include "optim/rules/rmsprop.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>

#include "optim/optimizer/optimizer_keys.h"
#include "optim/optimizer/slot_rule.h"

namespace ganscale::optim {
namespace {

void update_rmsprop(const RmspropOptions& options, SlotUpdate& update) {
  auto& mean_square = update.slots[0];
  at::_foreach_mul_(mean_square, options.smoothing);
  at::_foreach_addcmul_(mean_square, update.gradients, update.gradients, 1 - options.smoothing);
  auto denominators = at::_foreach_sqrt(mean_square);
  at::_foreach_add_(denominators, options.epsilon);
  at::_foreach_addcdiv_(update.parameters, update.gradients, denominators, -update.learning_rate);
}

}  // namespace

OptimizerBuilder builder_of(const RmspropOptions& options) {
  return builder_of(options, {"square_avg"}, update_rmsprop);
}

OptimizerBuilder parse_rmsprop(config::Section& in, const OptimizerDefaults& /*defaults*/) {
  RmspropOptions options;
  options.smoothing = in.get("smoothing", options.smoothing,
                             "smoothing constant of the mean square (PyTorch: alpha)");
  in.require(options.smoothing >= 0 && options.smoothing < 1, "smoothing",
             "must be at least 0 and below 1");
  options.epsilon = read_epsilon(in);
  return builder_of(options);
}

}  // namespace ganscale::optim
