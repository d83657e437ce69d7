#pragma once

#include <optional>

namespace ganscale::optim {

/// Returns the rectification factor r_t of an adaptive step, or nothing while the variance of the
/// adaptive rate is intractable.
///
/// Paper: Liu et al. 2020, arXiv:1908.03265, Algorithm 2. The paper rectifies from rho_t > 4; the
///        public implementations use rho_t > 5, and so does this.
/// step:  from 1.
std::optional<double> rectification(double beta2, double step);

}  // namespace ganscale::optim
