#include "losses/adversarial.h"

#include <ATen/ops/softplus.h>

namespace ganscale::losses {

at::Tensor non_saturating_real_loss(const at::Tensor& logits) { return at::softplus(logits.neg()); }
at::Tensor non_saturating_fake_loss(const at::Tensor& logits) { return at::softplus(logits); }
at::Tensor non_saturating_generator_loss(const at::Tensor& logits) {
  return at::softplus(logits.neg());
}

at::Tensor hinge_real_loss(const at::Tensor& logits) { return logits.neg().add(1).relu(); }
at::Tensor hinge_fake_loss(const at::Tensor& logits) { return logits.add(1).relu(); }
at::Tensor hinge_generator_loss(const at::Tensor& logits) { return logits.neg(); }

at::Tensor least_squares_real_loss(const at::Tensor& logits) {
  return logits.sub(1).square().div(2);
}
at::Tensor least_squares_fake_loss(const at::Tensor& logits) { return logits.square().div(2); }
at::Tensor least_squares_generator_loss(const at::Tensor& logits) {
  return least_squares_real_loss(logits);
}

at::Tensor wasserstein_real_loss(const at::Tensor& logits) { return logits.neg(); }
at::Tensor wasserstein_fake_loss(const at::Tensor& logits) { return logits; }
at::Tensor wasserstein_generator_loss(const at::Tensor& logits) { return logits.neg(); }

}  // namespace ganscale::losses
