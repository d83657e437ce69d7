#pragma once

#include "models/stylegan3/config.h"
#include "tensors/named_tensors.h"

namespace ganscale::models::stylegan3 {

/// Computes the images of the generator in eval mode, without truncation, by LibTorch's own
/// operators: the network as its paper describes it, for programs that lack our operators.
///
/// Paper:   Karras et al. 2021, arXiv:2106.12423.
/// state:   parameters and buffers of StyleganGenerator, in whose dtype all layers compute.
/// z:       [N, z_dim].
/// labels:  [N] int64; undefined for an unconditional network.
/// Returns: [N, channels, resolution, resolution].
at::Tensor plain_images(const NamedTensors& state, const NetworkConfig& config, const at::Tensor& z,
                        const at::Tensor& labels);

}  // namespace ganscale::models::stylegan3
