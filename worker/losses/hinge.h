#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::losses {

/// Return the two parts of the discriminator's loss: max(0, 1 - D(x)) of each real image and
/// max(0, 1 + D(G(z))) of each fake. Scores beyond the margin of 1 have no gradient.
///
/// Papers:  Lim & Ye 2017, arXiv:1705.02894, Eq. (12); Miyato et al. 2018, arXiv:1802.05957,
///          Eq. (16).
/// logits:  [N], attached to the graph.
/// Return:  [N], attached; the sum of the two means is the loss of the batch.
at::Tensor hinge_real_loss(const at::Tensor& logits);
at::Tensor hinge_fake_loss(const at::Tensor& logits);

/// Returns the generator's loss of each image, -D(G(z)).
///
/// Paper:   Miyato et al. 2018, Eq. (17). Shapes as above.
at::Tensor hinge_generator_loss(const at::Tensor& fake_logits);

}  // namespace ganscale::losses
