#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::losses {

/// Return the two parts of the critic's loss, -D(x) of each real image and D(G(z)) of each fake: the
/// sum of their means is the negative of an estimate of the Wasserstein distance if D is
/// 1-Lipschitz.
///
/// Paper:   Arjovsky et al. 2017, arXiv:1701.07875, Eq. (3).
/// logits:  [N], attached to the graph.
/// Return:  [N], attached.
at::Tensor wasserstein_real_loss(const at::Tensor& logits);
at::Tensor wasserstein_fake_loss(const at::Tensor& logits);

/// Returns the generator's loss of each image, -D(G(z)). Paper and shapes as above.
at::Tensor wasserstein_generator_loss(const at::Tensor& fake_logits);

/// Returns images between reals and fakes, share * real + (1 - share) * fake, at which to take a
/// gradient penalty: a leaf that requires gradients.
///
/// Paper:   Gulrajani et al. 2017, arXiv:1704.00028, Algorithm 1.
/// real, fake: [N, C, H, W]; share: [N, 1, 1, 1] in [0, 1].
at::Tensor interpolate(const at::Tensor& real, const at::Tensor& fake, const at::Tensor& share);

/// Returns the gradient penalty of each image, weight * (|dD(x)/dx| - 1)^2.
///
/// Paper:   Gulrajani et al. 2017, arXiv:1704.00028, Eq. (3), weight 10.
/// images:  [N, C, H, W] that requires gradients, see interpolate().
/// logits:  [N], D(images), attached; D must not mix images.
/// Returns: [N], attached: its backward pass is second order.
at::Tensor gradient_penalty(const at::Tensor& images, const at::Tensor& logits, double weight);

}  // namespace ganscale::losses
