#include "optim/optimizer/trust_ratio.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/where.h>

#include "optim/optimizer/norms.h"

namespace ganscale::optim {

std::vector<at::Tensor> trust_ratios(const std::vector<at::Tensor>& weights,
                                     const std::vector<at::Tensor>& updates,
                                     const TrustRule& rule) {
  const at::Tensor of_weights = norms_of(weights);
  const at::Tensor of_updates = norms_of(updates);
  const at::Tensor ratios =
      of_weights * rule.coefficient / (of_updates + of_weights * rule.weight_decay + rule.epsilon);
  const at::Tensor have_both = (of_weights > 0).logical_and(of_updates > 0);
  return at::where(have_both, ratios, 1.0).unbind();
}

}  // namespace ganscale::optim
