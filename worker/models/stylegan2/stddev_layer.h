#pragma once

#include <ATen/core/Tensor.h>

#include "models/stylegan2/config.h"

namespace ganscale::models::stylegan2 {

/// How many ranks, r, r + world / count, r + 2 world / count, ..., hold the images of a group
/// together.
///
/// Image j of rank r is number r + j * world of the whole batch, whose group m of M holds the
/// images m, m + M, m + 2 M, ...: as many ranks as group_size / gcd(group_size, images of a rank).
/// group_size: 0, or more than there are, for a group of the whole batch.
/// Throws: ConfigError if the whole batch has no whole groups of this size.
int ranks_of_a_group(int group_size, std::int64_t images_per_rank, int world_size);

/// Returns x with channels that tell how much the images of a group differ, [N, C + features, H,
/// W].
///
/// x: [N, C, H, W]. Where ranks share groups (config.stddev_ranks), all of them call it together
/// with
///    equal shapes, and run its derivatives together.
/// Throws: ConfigError if the images do not fill whole groups.
at::Tensor append_stddev(const at::Tensor& x, const NetworkConfig& config);

}  // namespace ganscale::models::stylegan2
