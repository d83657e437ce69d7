#pragma once

#include <ATen/core/Tensor.h>

#include "models/stylegan/discriminator_config.h"

namespace ganscale::models::stylegan {

/// Returns how many ranks, r, r + world / count, r + 2 world / count, ..., share the images of a
/// group: group_size / gcd(group_size, images per rank).
///
/// Image j of rank r is number r + j * world of the global batch, whose group m of M has the images
/// m, m + M, m + 2 M, ...
/// group_size: 0, or more than the global batch: a single group.
/// Throws:     ConfigError if the group size does not divide the global batch.
int ranks_of_a_group(int group_size, std::int64_t images_per_rank, int world_size);

/// Appends channels with the standard deviation of each group: [N, C + features, H, W].
///
/// x:           [N, C, H, W]. If ranks share groups (config.stddev_ranks), they all call it together
///              with equal shapes, and run its derivatives together.
/// batch_count: of batches of equal size, one after the other, that share no group.
/// Throws:      ConfigError if the group size does not divide the images of a batch.
at::Tensor append_stddev(const at::Tensor& x, const DiscriminatorConfig& config,
                         int batch_count = 1);

}  // namespace ganscale::models::stylegan
