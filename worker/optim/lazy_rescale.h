#pragma once

#include <cstdint>

#include "optim/build_optimizer.h"

namespace ganscale::optim {

/// Returns the configuration of an optimizer that also steps for a regularization in every
/// interval-th step: with c = k / (k + 1), the rate is c times, the betas are to the power of c, so
/// that k + 1 steps do what k did.
///
/// Paper:    Karras et al. 2020, arXiv:1912.04958, Section 3.1 and Appendix B ("lazy
///           regularization").
/// interval: 0: there is no such regularization.
OptimizerConfig lazily_rescaled(OptimizerConfig config, std::int64_t interval);

}  // namespace ganscale::optim
