#pragma once

#include "optim/optimizer/optimizer_kind.h"

namespace ganscale::optim {

/// LAMB: Adam whose update of each tensor has the length of the tensor.
///
/// Paper: You et al. 2020, arXiv:1904.00962, Algorithm 2, with phi the identity. As in the public
///        implementations, a tensor without weight decay takes no trust ratio, and the norm of the
///        gradient is left to NetworkPolicy::max_gradient_norm.
/// Slots: exp_avg, exp_avg_sq.
struct LambOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-6;
  double weight_decay = 0.01;  ///< added to Adam's ratio; 0: without trust ratio, which is Adam
};

/// Returns the builder of LAMB.
OptimizerBuilder builder_of(const LambOptions& options);
/// Reads betas, epsilon and weight_decay; see optimizer_kind.h.
OptimizerBuilder parse_lamb(config::Section& in, const OptimizerDefaults& defaults);

}  // namespace ganscale::optim
