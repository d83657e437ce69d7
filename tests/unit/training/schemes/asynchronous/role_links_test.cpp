#include "training/schemes/asynchronous/role_links.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>

#include "comm/backends/thread_group.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

using Rows = std::vector<std::int64_t>;

// Of twelve images, rank 1 of 2 has 1, 3, 5, 7, 9, 11; rank 0 of 3 has 0, 3, 6, 9.
TEST(SharedRows, HoldTheSameImages) {
  EXPECT_EQ(shared_rows({1, 2}, {0, 3}, 12), (Rows{1, 4}));
  EXPECT_EQ(shared_rows({0, 3}, {1, 2}, 12), (Rows{1, 3}));
  EXPECT_EQ(shared_rows({0, 1}, {0, 1}, 3), (Rows{0, 1, 2}));
  EXPECT_EQ(shared_rows({0, 2}, {1, 2}, 8), Rows{});
}

TEST(SharedRows, SendEachImageToOneRankOfTheOtherRole) {
  constexpr std::int64_t kBatch = 12;
  for (const auto& [senders, receivers] : {std::pair{2, 3}, {3, 2}, {4, 6}, {1, 4}, {6, 1}}) {
    for (int receiver = 0; receiver < receivers; ++receiver) {
      std::multiset<std::int64_t> received;
      for (int sender = 0; sender < senders; ++sender) {
        const auto from = shared_rows({sender, senders}, {receiver, receivers}, kBatch);
        const auto to = shared_rows({receiver, receivers}, {sender, senders}, kBatch);
        ASSERT_EQ(from.size(), to.size());
        for (std::size_t i = 0; i < from.size(); ++i)
          EXPECT_EQ(sender + from[i] * senders, receiver + to[i] * receivers);
        received.insert(to.begin(), to.end());
      }
      ASSERT_EQ(received.size(), kBatch / receivers);
      for (std::int64_t row = 0; row < kBatch / receivers; ++row) EXPECT_EQ(received.count(row), 1);
    }
  }
}

// The buffers of discriminator d return with the fakes of generator d mod the number of generators.
TEST(RoleLinks, ReturnTheBuffersOfEachDiscriminatorOnce) {
  const RunConfig config = parse(
      "model: {z_dim: 2, channels: 0.125, resolution: 32}\n"
      "scheme: {name: asynchronous, max_staleness: 0}\ntraining: {batch: 4, precision: fp32}\n");
  for (const wire::RoleRatio ratio : {wire::RoleRatio{1, 2}, wire::RoleRatio{2, 1}}) {
    comm::run_ranks(3, [&](comm::Group& world) {
      const wire::RolePlan plan(ratio, 3);
      RoleLinks links(config, plan, world);
      const int rank = links.ranks().rank();
      if (links.role() == wire::Role::kGenerator) {
        const at::Tensor images =
            at::zeros({4 / links.ranks().size(), config.model.channels, 32, 32});
        links.send_fakes({.step = 7, .fakes = {.images = images}},
                         {{"mean", at::full({1}, 10 + rank)}});
      } else {
        const at::Tensor mean = at::zeros({1}, at::kLong);
        EXPECT_EQ(links.receive_fakes({{"mean", mean}}).step, 7);
        EXPECT_EQ(mean.item<std::int64_t>(), 10 + rank % ratio.generator);
      }
      world.barrier();
      links.finish();
    });
  }
}

}  // namespace
}  // namespace ganscale::training
