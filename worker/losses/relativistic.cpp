#include "losses/relativistic.h"

#include <ATen/ops/softplus.h>

namespace ganscale::losses {

at::Tensor relativistic_discriminator_loss(const at::Tensor& fake, const at::Tensor& real) {
  return at::softplus(fake.sub(real));
}

at::Tensor relativistic_generator_loss(const at::Tensor& fake, const at::Tensor& real) {
  return at::softplus(real.sub(fake));
}

}  // namespace ganscale::losses
