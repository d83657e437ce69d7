#include "models/stylegan/stddev_layer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "comm/backends/thread_group.h"
#include "kernels/convolution/convolution.h"
#include "support/check_gradients.h"
#include "support/expect_error.h"

namespace ganscale::models::stylegan {
namespace {

TEST(RanksOfAGroup, AreAsManyAsTheirImagesAskFor) {
  EXPECT_EQ(ranks_of_a_group(4, 8, 16), 1);
  EXPECT_EQ(ranks_of_a_group(4, 2, 16), 2);
  EXPECT_EQ(ranks_of_a_group(4, 1, 8), 4);
  EXPECT_EQ(ranks_of_a_group(4, 6, 2), 2);
  EXPECT_EQ(ranks_of_a_group(0, 3, 5), 5);
  EXPECT_EQ(ranks_of_a_group(32, 1, 2), 2);  // more than there are
  expect_error(ExitCode::kConfig, "must divide the batch of all ranks (mbstd: local: of a rank): 4",
               [] { ranks_of_a_group(4, 3, 2); });
}

/// Value and gradient of a second-order penalty on the statistics.
std::pair<at::Tensor, at::Tensor> value_and_second_order(const at::Tensor& images,
                                                         const DiscriminatorConfig& config,
                                                         int batch_count = 1) {
  const auto x = images.detach().clone().requires_grad_();
  const auto result = append_stddev(x, config, batch_count);
  const auto gradient = torch::autograd::grad({result.square().sum()}, {x}, {}, true, true)[0];
  gradient.square().sum().backward();
  return {result.detach(), x.grad()};
}

TEST(AppendStddev, KeepsBatchesApart) {
  const auto batches = fixed_numbers({12, 4, 2, 2}, 0.2);
  const DiscriminatorConfig config{.stddev_group = 2, .stddev_features = 2};
  const auto [value, gradient] = value_and_second_order(batches, config, 2);
  for (const std::int64_t first : {0, 6}) {
    const auto [own_value, own_gradient] =
        value_and_second_order(batches.slice(0, first, first + 6), config);
    EXPECT_TRUE(own_value.equal(value.slice(0, first, first + 6)));
    EXPECT_TRUE(at::allclose(own_gradient, gradient.slice(0, first, first + 6)));
  }
}

// Rank r of n holds the images r, r + n, ... of each batch.
TEST(AppendStddev, SharedByRanksEqualsTheStddevOfWholeBatches) {
  for (const auto& [world, per_rank, batch_count] :
       {std::tuple{2, 2, 1}, {4, 1, 1}, {4, 2, 1}, {2, 6, 1}, {2, 2, 2}, {4, 1, 3}}) {
    const auto batch = fixed_numbers({batch_count * world * per_rank, 4, 2, 2}, 0.2);
    DiscriminatorConfig config{.stddev_group = 4, .stddev_features = 2};
    const auto [value, gradient] = value_and_second_order(batch, config, batch_count);
    comm::run_ranks(world, [&](comm::Group& group) {
      const int count = ranks_of_a_group(config.stddev_group, per_rank, world);
      const auto ranks = group.split(group.rank() % (world / count));
      DiscriminatorConfig own_config = config;
      own_config.stddev_ranks = ranks.get();
      const auto own = batch.slice(0, group.rank(), {}, world);
      const auto [own_value, own_gradient] = value_and_second_order(own, own_config, batch_count);
      EXPECT_TRUE(own_value.equal(value.slice(0, group.rank(), {}, world)));
      EXPECT_TRUE(at::allclose(own_gradient, gradient.slice(0, group.rank(), {}, world)));
    });
  }
}

TEST(AppendStddev, LocalGroupsHoldOnlyImagesOfTheRank) {
  const auto x = fixed_numbers({2, 3, 2, 2}, 0.2);
  const DiscriminatorConfig config{.stddev_group = 4, .stddev_groups = StddevGroups::kLocal};
  DiscriminatorConfig pairs = config;
  pairs.stddev_group = 2;
  EXPECT_TRUE(append_stddev(x, config).equal(append_stddev(x, pairs)));
  expect_error(ExitCode::kConfig, "must divide the images of a rank: 4, images 6",
               [&] { append_stddev(fixed_numbers({6, 3, 2, 2}, 0.2), config); });
}

}  // namespace
}  // namespace ganscale::models::stylegan
