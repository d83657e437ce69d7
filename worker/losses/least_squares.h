#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::losses {

/// Return the two parts of the discriminator's loss: (D(x) - 1)^2 / 2 of each real image and
/// D(G(z))^2 / 2 of each fake.
///
/// Paper:   Mao et al. 2017, arXiv:1611.04076, Eq. (9), with a = 0 and b = 1.
/// logits:  [N], attached to the graph.
/// Return:  [N], attached; the sum of the two means is the loss of the batch.
at::Tensor least_squares_real_loss(const at::Tensor& logits);
at::Tensor least_squares_fake_loss(const at::Tensor& logits);

/// Returns the generator's loss of each image, (D(G(z)) - 1)^2 / 2.
///
/// Paper:   Mao et al. 2017, Eq. (9), with c = 1. Shapes as above.
at::Tensor least_squares_generator_loss(const at::Tensor& fake_logits);

}  // namespace ganscale::losses
