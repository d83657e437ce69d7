#pragma once

#include "optim/optimizer/optimizer_kind.h"
#include "optim/optimizer/slot_optimizer.h"

namespace ganscale::optim {

struct LarsOptions {
  double momentum = 0.9;
  double weight_decay = 1e-4;  ///< part of the gradient; 0: without trust ratio, which is SGD
  double trust = 0.001;        ///< the paper's eta
  double epsilon = 1e-8;       ///< of the trust ratio
};

/// LARS: stochastic gradient descent with momentum whose gradient of each tensor is scaled by the
/// norms of tensor and gradient.
///
/// Paper: You et al. 2017, arXiv:1708.03888, Algorithm 1. As in the public implementations, the
///        learning rate multiplies the velocity and not what enters it, and a tensor without weight
///        decay takes no trust ratio.
/// Slots: momentum_buffer.
class Lars : public SlotOptimizer {
 public:
  Lars(NamedTensors parameters, const LarsOptions& options);

 private:
  void update_parameters(Update& update) override;

  LarsOptions options_;
};

/// Reads momentum, weight_decay, trust and epsilon; see optimizer_kind.h.
OptimizerBuilder parse_lars(config::Section& in, const OptimizerDefaults& defaults);

}  // namespace ganscale::optim
