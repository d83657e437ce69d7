#pragma once

#include "optim/optimizer/optimizer_kind.h"

namespace ganscale::optim {

/// LARS: stochastic gradient descent with momentum whose gradient of each tensor is scaled by the
/// norms of tensor and gradient.
///
/// Paper: You et al. 2017, arXiv:1708.03888, Algorithm 1. As in the public implementations, the
///        learning rate multiplies the velocity and not what enters it, and a tensor without weight
///        decay takes no trust ratio.
/// Slots: momentum_buffer.
struct LarsOptions {
  double momentum = 0.9;
  double weight_decay = 1e-4;  ///< part of the gradient; 0: without trust ratio, which is SGD
  double trust = 0.001;        ///< the paper's eta
  double epsilon = 1e-8;       ///< of the trust ratio
};

/// Returns the builder of LARS.
OptimizerBuilder builder_of(const LarsOptions& options);
/// Reads momentum, weight_decay, trust and epsilon; see optimizer_kind.h.
OptimizerBuilder parse_lars(config::Section& in, const OptimizerDefaults& defaults);

}  // namespace ganscale::optim
