#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::losses {

/// Returns the discriminator's loss of each pair of images, -log D(x) - log(1 - D(G(z))), with
/// D = sigmoid(logit): softplus(-real) + softplus(fake).
///
/// Paper:   Goodfellow et al. 2014, arXiv:1406.2661, Eq. (1), with its sign turned.
/// real_logits, fake_logits: [N], attached to the graph.
/// Returns: [N], attached; its mean is the loss of the batch.
at::Tensor non_saturating_discriminator_loss(const at::Tensor& real_logits,
                                             const at::Tensor& fake_logits);

/// Returns the generator's non-saturating loss of each image, -log D(G(z)): softplus(-fake).
///
/// Paper:   Goodfellow et al. 2014, arXiv:1406.2661, Section 3 ("maximize log D(G(z))").
/// fake_logits: [N], attached to the graph.
/// Returns: [N], attached; its mean is the loss of the batch.
at::Tensor non_saturating_generator_loss(const at::Tensor& fake_logits);

}  // namespace ganscale::losses
