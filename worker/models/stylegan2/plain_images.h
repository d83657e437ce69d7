#pragma once

#include "models/stylegan2/config.h"
#include "tensors/named_tensors.h"

namespace ganscale::models::stylegan2 {

/// Computes the images of the generator in eval mode, without truncation, by LibTorch's own
/// operators: the network as its paper describes it, for programs that lack our operators.
///
/// Paper:   Karras et al. 2020, arXiv:1912.04958; modulation as in Appendix B, by scaling features.
/// state:   parameters and buffers of StyleganGenerator, in whose dtype all layers compute.
/// z:       [N, z_dim].
/// labels:  [N] int64; undefined for an unconditional network.
/// Returns: [N, channels, resolution, resolution].
at::Tensor plain_images(const NamedTensors& state, const NetworkConfig& config, const at::Tensor& z,
                        const at::Tensor& labels);

}  // namespace ganscale::models::stylegan2
