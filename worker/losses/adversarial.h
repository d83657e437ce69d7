#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::losses {

/// Return the two parts of the discriminator's loss, -log D(x) of each real image and
/// -log(1 - D(G(z))) of each fake, with D = sigmoid(logit): softplus(-real) and softplus(fake).
///
/// Paper:   Goodfellow et al. 2014, arXiv:1406.2661, Eq. (1), with the opposite sign.
/// logits:  [N], attached to the graph.
/// Return:  [N], attached; the sum of the two means is the loss of the batch.
at::Tensor non_saturating_real_loss(const at::Tensor& logits);
at::Tensor non_saturating_fake_loss(const at::Tensor& logits);

/// Returns the generator's non-saturating loss of each image, -log D(G(z)): softplus(-fake).
///
/// Paper:   Goodfellow et al. 2014, arXiv:1406.2661, Section 3 ("maximize log D(G(z))").
/// fake_logits: [N], attached to the graph.
/// Returns: [N], attached; its mean is the loss of the batch.
at::Tensor non_saturating_generator_loss(const at::Tensor& fake_logits);

}  // namespace ganscale::losses
