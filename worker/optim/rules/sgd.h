#pragma once

#include "optim/optimizer/optimizer_kind.h"

namespace ganscale::optim {

/// Stochastic gradient descent with momentum, in a fused kernel.
///
/// Paper: Sutskever et al. 2013, "On the importance of initialization and momentum in deep
///        learning", in PyTorch's form: v = momentum * v + g; p -= lr * v (Nesterov:
///        lr * (g + momentum * v)).
/// Slots: momentum_buffer; none without momentum.
struct SgdOptions {
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;  ///< part of the gradient
};

/// Returns the builder of SGD. Throws Error(kBug) for Nesterov without momentum.
OptimizerBuilder builder_of(const SgdOptions& options);
/// Reads momentum, nesterov and weight_decay; see optimizer_kind.h.
OptimizerBuilder parse_sgd(config::Section& in, const OptimizerDefaults& defaults);

}  // namespace ganscale::optim
