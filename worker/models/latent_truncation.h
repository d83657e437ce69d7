#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::models {

/// Truncates latents: less variety, better images. A number beyond +-threshold becomes one of the
/// normal distribution within, as if it were drawn again until it fell there.
///
/// Paper:   Brock et al. 2018, arXiv:1809.11096, Section 3.1.
/// z:       [N, z_dim], standard normal.
/// uniform: numbers in [0, 1) of the same shape, for the new ones.
at::Tensor truncate_latents(const at::Tensor& z, const at::Tensor& uniform, double threshold);

}  // namespace ganscale::models
