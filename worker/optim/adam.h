#pragma once

#include "optim/slot_optimizer.h"

namespace ganscale::optim {

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  /// false: the decay is part of the gradient (Adam); true: it shrinks the weight alone (AdamW).
  bool decoupled = false;
};

/// Adam and AdamW, with bias correction, in one fused kernel a call.
///
/// Papers: Kingma & Ba 2015, arXiv:1412.6980, Algorithm 1; Loshchilov & Hutter 2019,
///         arXiv:1711.05101, Algorithm 2 (the decay is learning_rate * weight_decay, as in
///         PyTorch).
/// Slots:  exp_avg, exp_avg_sq.
class Adam : public SlotOptimizer {
 public:
  Adam(NamedTensors parameters, const AdamOptions& options);

 private:
  void update(Update& update) override;

  AdamOptions options_;
};

}  // namespace ganscale::optim
