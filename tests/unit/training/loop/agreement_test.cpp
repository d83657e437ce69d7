#include "training/loop/agreement.h"

#include <gtest/gtest.h>

#include <limits>

#include "comm/backends/thread_group.h"

namespace ganscale::training {
namespace {

constexpr double kDay = 86400;  // more than a test takes

TEST(Budget, MayBeUnlimited) {
  const Budget none(std::numeric_limits<double>::infinity());
  EXPECT_FALSE(none.spent());
  EXPECT_EQ(none.seconds_left(), std::numeric_limits<double>::infinity());
}

TEST(Budget, OfEarlierAttemptsMayBeSpent) { EXPECT_TRUE(Budget(-1).spent()); }

TEST(Budget, CountsTheTimeSinceItsStart) {
  EXPECT_FALSE(Budget(kDay).spent());
  const Budget short_one(1e-6);
  while (!short_one.spent()) {  // ends
  }
}

TEST(Schedule, IsDueWhenAMultipleIsReachedOrPassed) {
  EXPECT_FALSE(is_due(1.0, 0, 999));
  EXPECT_TRUE(is_due(1.0, 999, 1000));
  EXPECT_FALSE(is_due(1.0, 1000, 1999));
  EXPECT_TRUE(is_due(0.5, 1472, 1536));
  EXPECT_TRUE(is_due(0.064, 64, 128)) << "a tick per step";
}

TEST(Schedule, OfZeroIsNeverDue) { EXPECT_FALSE(is_due(0, 0, 1 << 30)); }

TEST(Orders, TheRequestOfOneRankIsTheOrderOfAll) {
  comm::run_ranks(4, [](comm::Group& group) {
    Orders requests;
    if (group.rank() == 2) requests.stop = true;
    if (group.rank() == 0) requests.checkpoint = true;
    const Orders orders = agree(group, requests);
    EXPECT_TRUE(orders.stop);
    EXPECT_TRUE(orders.checkpoint);
    EXPECT_FALSE(orders.finish);
    EXPECT_FALSE(orders.spent);
    EXPECT_FALSE(orders.pause);
    EXPECT_FALSE(orders.fail);
    requests = {};
    if (group.rank() == 1) requests.spent = true;
    const Orders last = agree(group, requests);
    EXPECT_TRUE(last.spent);
    EXPECT_TRUE(last.end());
    EXPECT_FALSE(last.stop);
    EXPECT_FALSE(last.checkpoint);
  });
}

}  // namespace

}  // namespace ganscale::training
