#pragma once

#include <cstdint>
#include <vector>

#include "optim/optimizer/optimizer_kind.h"

namespace ganscale::optim {

struct LookaheadOptions {
  std::int64_t interval = 5;  ///< updates of a round (the paper's k)
  double slow_step = 0.5;     ///< how far the slow weights follow (alpha), in (0, 1]
};

/// Lookahead: after a round of `interval` updates by an inner optimizer, the weights go back to a
/// point between where the round began and where it led. The inner optimizer keeps its state.
///
/// Paper: Zhang et al. 2019, arXiv:1907.08610, Algorithm 1. The slow weights are those at which a
///        round begins, the first one at the initial weights.
///
/// state(): the inner one's; "<parameter>.slow_weight", of the parameter's dtype; and
///          "lookahead.updates", an int64 scalar on the host with the updates of this round so far.
class Lookahead : public Optimizer {
 public:
  Lookahead(std::unique_ptr<Optimizer> inner, const LookaheadOptions& options);

  NamedTensors state() override;

 private:
  void update(double learning_rate, const Averages* averages, const at::Tensor& skip) override;
  /// Returns tensors in the order of the names.
  static std::vector<at::Tensor> values(const NamedTensors& tensors);

  std::unique_ptr<Optimizer> inner_;
  LookaheadOptions options_;
  NamedTensors slow_weights_;  ///< by parameter
  at::Tensor updates_;
};

/// Reads interval, slow_step and the section inner; see optimizer_kind.h.
OptimizerBuilder parse_lookahead(config::Section& in, const OptimizerDefaults& defaults);

}  // namespace ganscale::optim
