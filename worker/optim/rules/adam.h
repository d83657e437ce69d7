#pragma once

#include "optim/optimizer/optimizer_kind.h"
#include "optim/optimizer/slot_optimizer.h"

namespace ganscale::optim {

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  /// false: weight decay is part of the gradient (Adam); true: it is decoupled (AdamW).
  bool decoupled = false;
};

/// Adam and AdamW, with bias correction: kernels/multi_tensor_adam/multi_tensor_adam.h, averages
/// included.
///
/// Slots:  exp_avg, exp_avg_sq.
class Adam : public SlotOptimizer {
 public:
  Adam(NamedTensors parameters, const AdamOptions& options);

  std::optional<double> beta2() const override { return options_.beta2; }
  void set_beta2(double beta2) override { options_.beta2 = beta2; }

 private:
  void update_parameters(SlotUpdate& update) override;
  void update_with_averages(SlotUpdate& update, const Tensors& averages, double beta) override;
  bool obeys_skip() const override { return true; }

  AdamOptions options_;
};

/// Returns the builder of Adam or AdamW.
OptimizerBuilder builder_of(const AdamOptions& options);
/// Read betas, epsilon and weight_decay; see optimizer_kind.h.
OptimizerBuilder parse_adam(config::Section& in, const OptimizerDefaults& defaults);
OptimizerBuilder parse_adamw(config::Section& in, const OptimizerDefaults& defaults);

}  // namespace ganscale::optim
