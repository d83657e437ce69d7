#include "losses/wasserstein.h"

namespace ganscale::losses {

at::Tensor wasserstein_real_loss(const at::Tensor& logits) { return logits.neg(); }

at::Tensor wasserstein_fake_loss(const at::Tensor& logits) { return logits; }

at::Tensor wasserstein_generator_loss(const at::Tensor& fake_logits) { return fake_logits.neg(); }

}  // namespace ganscale::losses
