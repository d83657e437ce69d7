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

}  // namespace ganscale::losses
