#pragma once

#include <ATen/core/Tensor.h>

/// The adversarial losses whose two sides are independent. Each is three functions: the two
/// parts of the discriminator's loss, of a real and of a fake image, and the generator's loss.
///
/// logits:  [N], the scores of the images, attached to the graph.
/// Return:  [N], attached: a value for each image. The mean over the images is the loss of the
///          batch, for the discriminator the sum of the means of its two parts.
namespace ganscale::losses {

/// With D = sigmoid(logit), -log D(x) = softplus(-real) and -log(1 - D(G(z))) = softplus(fake) for
/// the discriminator and, not saturating, -log D(G(z)) = softplus(-fake) for the generator.
///
/// Paper:   Goodfellow et al. 2014, arXiv:1406.2661, Eq. (1), with the opposite sign, and Section 3
///          ("maximize log D(G(z))").
at::Tensor non_saturating_real_loss(const at::Tensor& logits);
at::Tensor non_saturating_fake_loss(const at::Tensor& logits);
at::Tensor non_saturating_generator_loss(const at::Tensor& logits);

/// max(0, 1 - D(x)) and max(0, 1 + D(G(z))): scores beyond the margin of 1 have no gradient. The
/// generator's is -D(G(z)).
///
/// Papers:  Lim & Ye 2017, arXiv:1705.02894, Eq. (12); Miyato et al. 2018, arXiv:1802.05957,
///          Eq. (16) and (17).
at::Tensor hinge_real_loss(const at::Tensor& logits);
at::Tensor hinge_fake_loss(const at::Tensor& logits);
at::Tensor hinge_generator_loss(const at::Tensor& logits);

/// (D(x) - 1)^2 / 2, D(G(z))^2 / 2, and (D(G(z)) - 1)^2 / 2 for the generator.
///
/// Paper:   Mao et al. 2017, arXiv:1611.04076, Eq. (9), with a = 0, b = 1 and c = 1.
at::Tensor least_squares_real_loss(const at::Tensor& logits);
at::Tensor least_squares_fake_loss(const at::Tensor& logits);
at::Tensor least_squares_generator_loss(const at::Tensor& logits);

/// -D(x) and D(G(z)) for the critic, the sum of whose means is the negative of an estimate of the
/// Wasserstein distance if D is 1-Lipschitz, and -D(G(z)) for the generator.
///
/// Paper:   Arjovsky et al. 2017, arXiv:1701.07875, Eq. (3).
at::Tensor wasserstein_real_loss(const at::Tensor& logits);
at::Tensor wasserstein_fake_loss(const at::Tensor& logits);
at::Tensor wasserstein_generator_loss(const at::Tensor& logits);

}  // namespace ganscale::losses
