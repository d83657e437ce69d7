#pragma once

#include <optional>

namespace ganscale::optim {

/// Returns the factor r_t by which the rectified optimizers shorten an adaptive step, or nothing
/// while the variance of the adaptive rate can't be judged yet.
///
/// Paper: Liu et al. 2020, arXiv:1908.03265, Algorithm 2. The paper rectifies from rho_t > 4; the
///        public implementations wait for rho_t > 5, and so do we.
/// step:  from 1.
std::optional<double> rectification(double beta2, double step);

}  // namespace ganscale::optim
