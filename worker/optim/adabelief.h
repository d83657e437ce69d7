#pragma once

#include "optim/slot_optimizer.h"

namespace ganscale::optim {

struct AdaBeliefOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-16;
  double weight_decay = 0;  ///< decoupled: shrinks the weight by learning_rate * weight_decay
  bool rectify = false;     ///< RAdam's rectification
};

/// AdaBelief: Adam that divides by the spread of the gradient around its mean.
///
/// Paper: Zhuang et al. 2020, arXiv:2010.07468, Algorithm 2. As in the authors' code, epsilon also
///        accumulates in the spread, and a rectified step adds it under no root again.
/// Slots: exp_avg, exp_avg_var.
class AdaBelief : public SlotOptimizer {
 public:
  AdaBelief(NamedTensors parameters, const AdaBeliefOptions& options);

 private:
  void update(Update& update) override;
  /// Returns for each parameter what its mean gradient is multiplied by after the division.
  std::vector<at::Scalar> step_factors(const Update& update, Tensors& denominators) const;

  AdaBeliefOptions options_;
};

}  // namespace ganscale::optim
