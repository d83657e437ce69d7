#include "models/stylegan/stddev_layer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.h"
#include "comm/collectives/differentiable_all_reduce.h"
#include "kernels/minibatch_stddev/minibatch_stddev.h"

namespace ganscale::models::stylegan {
namespace {

/// Returns the number of images in a group.
std::int64_t group_size_of(const DiscriminatorConfig& config, std::int64_t image_count) {
  if (config.stddev_group == 0) return image_count;
  return std::min<std::int64_t>(config.stddev_group, image_count);
}

/// The statistics of groups of this rank's images.
at::Tensor stddev_of_own(const at::Tensor& x, const DiscriminatorConfig& config, int batch_count) {
  const auto N = x.size(0) / batch_count;
  const auto group_size = group_size_of(config, N);
  if (N % group_size != 0) {
    throw ConfigError("model.mbstd_group must divide the images of a rank: " +
                      std::to_string(group_size) + ", images " + std::to_string(N));
  }
  return kernels::minibatch_stddev(x, group_size, config.stddev_features, batch_count);
}

/// The statistics of groups over the images of these ranks. All ranks gather all features, which
/// are small at 4x4 pixels, and keep the rows of their own images.
at::Tensor stddev_of_all(const at::Tensor& x, const DiscriminatorConfig& config, int batch_count) {
  comm::Group& ranks = *config.stddev_ranks;
  const auto all = x.size(0) * ranks.size();
  // Image j of rank r is number r + j * size of its batch, and so it is with batches behind another.
  const auto own =
      at::arange(x.size(0), at::TensorOptions(x.device()).dtype(at::kLong)) * ranks.size() +
      ranks.rank();
  const at::Tensor empty = at::zeros({all, x.size(1), x.size(2), x.size(3)}, x.options());
  const at::Tensor shared = comm::differentiable_all_reduce(ranks, empty.index_copy(0, own, x));
  return kernels::minibatch_stddev(shared, group_size_of(config, all / batch_count),
                                   config.stddev_features, batch_count)
      .index_select(0, own);
}

}  // namespace

int ranks_of_a_group(int group_size, std::int64_t images_per_rank, int world_size) {
  const auto batch = images_per_rank * world_size;
  if (group_size == 0 || group_size >= batch) return world_size;
  const auto count = group_size / std::gcd(images_per_rank, std::int64_t{group_size});
  if (batch % group_size == 0 && world_size % count == 0) return static_cast<int>(count);
  throw ConfigError(
      "model.mbstd_group must divide the batch of all ranks (mbstd: local: of a rank): " +
      std::to_string(group_size) + ", batch " + std::to_string(batch));
}

at::Tensor append_stddev(const at::Tensor& x, const DiscriminatorConfig& config, int batch_count) {
  const bool shares = config.stddev_ranks != nullptr && config.stddev_ranks->size() > 1;
  const at::Tensor stddev =
      shares ? stddev_of_all(x, config, batch_count) : stddev_of_own(x, config, batch_count);
  return at::cat({x, stddev.view({x.size(0), -1, 1, 1}).expand({-1, -1, x.size(2), x.size(3)})}, 1);
}

}  // namespace ganscale::models::stylegan
