#include "comm/collectives/numbers.h"

#include <gtest/gtest.h>

#include "comm/backends/thread_group.h"

namespace ganscale::comm {
namespace {

TEST(Numbers, AreSummedEachByItself) {
  run_ranks(3, [](Group& group) {
    const int rank = group.rank();
    double seconds = 0.5 * rank;
    double share = 1;
    std::int64_t images = (std::int64_t{1} << 60) + rank;  // which no double holds
    all_reduce_sum(group, {&seconds, &share});
    all_reduce_sum(group, {&images});
    EXPECT_EQ(seconds, 1.5);
    EXPECT_EQ(share, 3);
    EXPECT_EQ(images, 3 * (std::int64_t{1} << 60) + 3);
  });
}

TEST(Numbers, HaveTheMaximumOfAllRanks) {
  run_ranks(3, [](Group& group) {
    double falling = -group.rank();
    double rising = 0.5 * group.rank();
    std::int64_t steps = 10 - group.rank();
    all_reduce_max(group, {&falling, &rising});
    all_reduce_max(group, {&steps});
    EXPECT_EQ(falling, 0);
    EXPECT_EQ(rising, 1);
    EXPECT_EQ(steps, 10);
  });
}

TEST(Numbers, AreFlagsThatAnyRankSets) {
  run_ranks(3, [](Group& group) {
    bool stop = group.rank() == 1;
    bool pause = false;
    all_reduce_max(group, {&stop, &pause});
    EXPECT_TRUE(stop);
    EXPECT_FALSE(pause);
  });
}

TEST(Numbers, AreRank0sAfterABroadcast) {
  run_ranks(3, [](Group& group) {
    double seconds = 0.25 + group.rank();
    std::int64_t step = 7 + group.rank();
    bool is_found = group.rank() == 0;
    broadcast_from_rank_0(group, {&seconds});
    broadcast_from_rank_0(group, {&step});
    broadcast_from_rank_0(group, {&is_found});
    EXPECT_EQ(seconds, 0.25);
    EXPECT_EQ(step, 7);
    EXPECT_TRUE(is_found);
  });
}

TEST(Numbers, OfASingleRankStayAsTheyAre) {
  const auto alone = make_single_group();
  std::int64_t images = 5;
  bool stop = true;
  all_reduce_sum(*alone, {&images});
  all_reduce_max(*alone, {&stop});
  EXPECT_EQ(images, 5);
  EXPECT_TRUE(stop);
}

}  // namespace
}  // namespace ganscale::comm
