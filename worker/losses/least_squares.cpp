#include "losses/least_squares.h"

namespace ganscale::losses {

at::Tensor least_squares_real_loss(const at::Tensor& logits) {
  return logits.sub(1).square().div(2);
}

at::Tensor least_squares_fake_loss(const at::Tensor& logits) { return logits.square().div(2); }

at::Tensor least_squares_generator_loss(const at::Tensor& fake_logits) {
  return least_squares_real_loss(fake_logits);
}

}  // namespace ganscale::losses
