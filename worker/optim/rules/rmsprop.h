#pragma once

#include "optim/optimizer/optimizer_kind.h"
#include "optim/optimizer/slot_optimizer.h"

namespace ganscale::optim {

struct RmspropOptions {
  double smoothing = 0.99;
  double epsilon = 1e-8;
};

/// RMSprop: the gradient divided by the root of its running mean square.
///
/// Source: Tieleman & Hinton 2012, Coursera lecture 6.5; epsilon is added to the root, as in
///         PyTorch.
/// Slots:  square_avg.
class Rmsprop : public SlotOptimizer {
 public:
  Rmsprop(NamedTensors parameters, const RmspropOptions& options);

 private:
  void update_parameters(Update& update) override;

  RmspropOptions options_;
};

/// Reads smoothing and epsilon; see optimizer_kind.h.
OptimizerBuilder parse_rmsprop(config::Section& in, const OptimizerDefaults& defaults);

}  // namespace ganscale::optim
