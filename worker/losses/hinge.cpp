#include "losses/hinge.h"

namespace ganscale::losses {

at::Tensor hinge_real_loss(const at::Tensor& logits) { return logits.neg().add(1).relu(); }

at::Tensor hinge_fake_loss(const at::Tensor& logits) { return logits.add(1).relu(); }

at::Tensor hinge_generator_loss(const at::Tensor& fake_logits) { return fake_logits.neg(); }

}  // namespace ganscale::losses
