#include "comm/backends/mpi_group.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "collective/group_claims.h"
#include "comm/open_world.h"
#include "support/expect_error.h"

namespace ganscale::comm {
namespace {

class MpiGroup : public testing::TestWithParam<GroupClaim> {
 protected:
  const World world_ = open_world({});
};

TEST_P(MpiGroup, KeepsTheClaim) { GetParam().body(*world_.group); }

INSTANTIATE_TEST_SUITE_P(OfAllRanks, MpiGroup, testing::ValuesIn(group_claims()),
                         [](const auto& info) { return info.param.name; });

TEST(MpiWorld, IsOfTheBackEndMpi) { EXPECT_EQ(open_world({}).group->backend(), "mpi"); }

TEST(MpiWorld, HasTheLocalRankAndSize) {
  const World world = open_world({});  // all ranks of these tests are on one machine
  EXPECT_EQ(world.rank_info.rank, world.group->rank());
  EXPECT_EQ(world.rank_info.local_rank, world.group->rank());
  EXPECT_EQ(world.rank_info.local_size, world.group->size());
}

TEST(MpiWorld, OfAnotherSizeThanExpectedIsRefused) {
  CommConfig config;
  config.expected_world_size = 1000;
  expect_error(ExitCode::kConfig, "expects 1000 ranks, but this world has",
               [&] { open_world(config); });
}

TEST(MpiWorld, RefusesTheBackEndForOneRank) {
  CommConfig config;
  config.backend = Backend::kSingle;
  expect_error(ExitCode::kConfig, "a launcher started this rank", [&] { open_world(config); });
}

TEST(MpiWorld, RefusesADtypeThatMpiCannotAdd) {
  const World world = open_world({});
  expect_error(ExitCode::kBug, "BFloat16",
               [&] { world.group->all_reduce_sum(at::ones({1}, at::kBFloat16)); });
}

TEST(MpiWorld, RefusesATensorWithGaps) {
  const World world = open_world({});
  expect_error(ExitCode::kBug, "contiguous",
               [&] { world.group->all_reduce_async(at::ones({4, 4}).select(1, 0)); });
}

}  // namespace
}  // namespace ganscale::comm
