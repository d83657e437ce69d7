#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ganscale::kernels {

/// Returns how much the images of a group differ, [N, feature_count]: the standard deviation of
/// each value over the group, averaged over a feature's channels and all pixels. Differentiable as
/// often as needed.
///
/// Paper:         Karras et al. 2018, arXiv:1710.10196, Section 3, over groups as in StyleGAN2.
/// x:             [N, C, H, W], not empty.
/// group_size:    divides the images of a batch, n; group m of n / group_size holds its images m,
///                m + n / group_size, ...
/// feature_count: divides C.
/// batch_count:   of batches of equal size, one after the other, that share no group; divides N.
at::Tensor minibatch_stddev(const at::Tensor& x, std::int64_t group_size,
                            std::int64_t feature_count = 1, std::int64_t batch_count = 1);

}  // namespace ganscale::kernels
