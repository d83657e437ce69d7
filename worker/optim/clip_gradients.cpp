#include "optim/clip_gradients.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/full_like.h>

#include "optim/optimizer/norms.h"

namespace ganscale::optim {

double parse_clipping(config::Section in) {
  double max_norm = 0;
  const auto name = in.get_choice("name", "none", {"none", "global_norm"},
                                  "global_norm: scale the network's gradient down to max_norm");
  if (name == "global_norm") {
    max_norm = in.get("max_norm", 1.0, "maximum norm of the gradient of all parameters together");
    in.require(max_norm, config::above(0), "max_norm", "must be positive");
  }
  in.reject_unread_keys();
  return max_norm;
}

void clip_gradients(const std::vector<at::Tensor>& gradients, double max_norm) {
  const at::NoGradGuard no_grad;
  const at::Tensor longest = norms_of(gradients).to(at::kDouble).norm().clamp_min(max_norm);
  // A quotient: a product with the reciprocal of max_norm need not be 1.
  const at::Tensor factor = at::full_like(longest, max_norm).div_(longest);
  at::_foreach_mul_(gradients, factor.to(gradients.front().scalar_type()));
}

}  // namespace ganscale::optim
