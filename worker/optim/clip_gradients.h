#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "config/section.h"

namespace ganscale::optim {

/// Reads `clipping` and returns the largest norm of a network's gradient; 0 for any.
/// Throws ConfigError.
double parse_clipping(config::Section in);

/// Scales tensors together, in place, so that their norm as one vector is at most `max_norm`. A
/// smaller one stays as it is, to the bit. Does not wait for the device.
///
/// Paper:     Pascanu et al. 2013, arXiv:1211.5063, Algorithm 1.
/// gradients: all finite; as for norms_of().
/// max_norm:  above 0.
void clip_gradients(const std::vector<at::Tensor>& gradients, double max_norm);

}  // namespace ganscale::optim
