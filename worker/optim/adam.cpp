#include "optim/adam.h"

#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>

namespace ganscale::optim {

Adam::Adam(NamedTensors parameters, const AdamOptions& options)
    : SlotOptimizer(std::move(parameters), {"exp_avg", "exp_avg_sq"}, StepPlace::kParameterDevice),
      options_(options) {}

void Adam::update(Update& update) {
  const auto run = [&](auto fused_kernel) {
    fused_kernel(update.parameters, update.gradients, update.slots[0], update.slots[1],
                 /*max_exp_avg_sqs=*/at::TensorList{}, update.steps, update.learning_rate,
                 options_.beta1, options_.beta2, options_.weight_decay, options_.epsilon,
                 /*amsgrad=*/false, /*maximize=*/false);
  };
  if (options_.decoupled) {
    run([](auto&&... arguments) { at::_fused_adamw_(arguments...); });
  } else {
    run([](auto&&... arguments) { at::_fused_adam_(arguments...); });
  }
}

}  // namespace ganscale::optim
