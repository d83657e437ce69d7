#pragma once

#include <optional>

#include "optim/optimizer/optimizer_kind.h"

namespace ganscale::optim {

/// Returns the rectification factor r_t of an adaptive step, or nothing while the variance of the
/// adaptive rate is intractable.
///
/// Paper: Liu et al. 2020, arXiv:1908.03265, Algorithm 2. The paper rectifies from rho_t > 4; the
///        public implementations use rho_t > 5, and so does this.
/// step:  from 1.
std::optional<double> rectification(double beta2, double step);

/// Rectified Adam: SGD with momentum while the variance of the adaptive rate is intractable, then
/// Adam with a rectified step.
///
/// Paper: Liu et al. 2020, arXiv:1908.03265, Algorithm 2.
/// Slots: exp_avg, exp_avg_sq.
struct RAdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// Returns the builder of rectified Adam.
OptimizerBuilder builder_of(const RAdamOptions& options);
/// Reads betas and epsilon; see optimizer_kind.h.
OptimizerBuilder parse_radam(config::Section& in, const OptimizerDefaults& defaults);

}  // namespace ganscale::optim
