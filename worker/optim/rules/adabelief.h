#pragma once

#include "optim/optimizer/optimizer_kind.h"

namespace ganscale::optim {

/// AdaBelief: Adam that divides by the deviation of the gradient from its mean.
///
/// Paper: Zhuang et al. 2020, arXiv:2010.07468, Algorithm 2. As in the authors' code, epsilon also
///        accumulates in the deviation, and a rectified step adds it again outside the root.
/// Slots: exp_avg, exp_avg_var.
struct AdaBeliefOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-16;
  double weight_decay = 0;  ///< decoupled: decays weights by learning_rate * weight_decay
  bool rectify = false;     ///< RAdam's rectification
};

/// Returns the builder of AdaBelief.
OptimizerBuilder builder_of(const AdaBeliefOptions& options);
/// Reads betas (the first above 0), epsilon, weight_decay and rectify; see optimizer_kind.h.
OptimizerBuilder parse_adabelief(config::Section& in, const OptimizerDefaults& defaults);

}  // namespace ganscale::optim
