#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::losses {

/// Return the losses of pairs of a fake and a real: the discriminator trains the real to score
/// higher, softplus(-(D(x) - D(G(z)))), the generator the fake, softplus(-(D(G(z)) - D(x))).
///
/// Papers:  Jolicoeur-Martineau 2018, arXiv:1807.00734, Section 4.2 (RpGAN); Huang et al. 2024,
///          arXiv:2501.05441, Eq. (2).
/// fake, real: logits [N], the i-th of one side is paired with the i-th of the other.
/// Return:  [N], attached to the graphs of both; the mean is the loss of the batch.
at::Tensor relativistic_discriminator_loss(const at::Tensor& fake, const at::Tensor& real);
at::Tensor relativistic_generator_loss(const at::Tensor& fake, const at::Tensor& real);

}  // namespace ganscale::losses
