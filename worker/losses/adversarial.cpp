#include "losses/adversarial.h"

#include <ATen/ops/softplus.h>

namespace ganscale::losses {

at::Tensor non_saturating_discriminator_loss(const at::Tensor& real_logits,
                                             const at::Tensor& fake_logits) {
  return at::softplus(real_logits.neg()).add(at::softplus(fake_logits));
}

at::Tensor non_saturating_generator_loss(const at::Tensor& fake_logits) {
  return at::softplus(fake_logits.neg());
}

}  // namespace ganscale::losses
