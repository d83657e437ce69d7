#include "losses/adversarial.h"

#include <ATen/ops/softplus.h>

namespace ganscale::losses {

at::Tensor non_saturating_real_loss(const at::Tensor& logits) { return at::softplus(logits.neg()); }

at::Tensor non_saturating_fake_loss(const at::Tensor& logits) { return at::softplus(logits); }

at::Tensor non_saturating_generator_loss(const at::Tensor& fake_logits) {
  return at::softplus(fake_logits.neg());
}

}  // namespace ganscale::losses
