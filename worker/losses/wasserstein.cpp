#include "losses/wasserstein.h"

#include <torch/csrc/autograd/autograd.h>

#include "base/error.h"

namespace ganscale::losses {

at::Tensor wasserstein_real_loss(const at::Tensor& logits) { return logits.neg(); }

at::Tensor wasserstein_fake_loss(const at::Tensor& logits) { return logits; }

at::Tensor wasserstein_generator_loss(const at::Tensor& fake_logits) { return fake_logits.neg(); }

at::Tensor interpolate(const at::Tensor& real, const at::Tensor& fake, const at::Tensor& share) {
  return fake.detach().lerp(real, share).detach().requires_grad_();
}

at::Tensor gradient_penalty(const at::Tensor& images, const at::Tensor& logits, double weight) {
  check(images.requires_grad(), "a gradient penalty needs images that require gradients");
  // One backward pass for all images, as long as D does not mix them.
  const auto gradient = torch::autograd::grad({logits.sum()}, {images}, /*grad_outputs=*/{},
                                              /*retain_graph=*/true, /*create_graph=*/true)[0];
  // The root has no derivative at zero.
  const auto norm = gradient.square().sum({1, 2, 3}).add(1e-12).sqrt();
  return norm.sub(1).square().mul(weight);
}

}  // namespace ganscale::losses
