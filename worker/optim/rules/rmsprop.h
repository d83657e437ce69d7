#pragma once

#include "optim/optimizer/optimizer_kind.h"

namespace ganscale::optim {

/// RMSprop: the gradient divided by the root of its running mean square.
///
/// Source: Tieleman & Hinton 2012, Coursera lecture 6.5; epsilon is added to the root, as in
///         PyTorch.
/// Slots:  square_avg.
struct RmspropOptions {
  double smoothing = 0.99;
  double epsilon = 1e-8;
};

/// Returns the builder of RMSprop.
OptimizerBuilder builder_of(const RmspropOptions& options);
/// Reads smoothing and epsilon; see optimizer_kind.h.
OptimizerBuilder parse_rmsprop(config::Section& in, const OptimizerDefaults& defaults);

}  // namespace ganscale::optim
