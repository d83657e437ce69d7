#include "training/loop/budget.h"

#include <gtest/gtest.h>

namespace ganscale::training {
namespace {

constexpr double kDay = 86400;  // more than a test takes

TEST(Budget, OfNothingIsNone) {
  const Budget none(0, /*used_seconds=*/kDay);
  EXPECT_FALSE(none.spent());
  EXPECT_EQ(none.seconds_left(), std::numeric_limits<double>::infinity());
}

TEST(Budget, CountsTheTimeOfEarlierAttempts) {
  EXPECT_FALSE(Budget(2 * kDay, /*used_seconds=*/kDay).spent());
  EXPECT_TRUE(Budget(2 * kDay, /*used_seconds=*/2 * kDay).spent());
}

TEST(Budget, CountsTheTimeSinceItsStart) {
  EXPECT_FALSE(Budget(kDay).spent());
  const Budget short_one(1e-6);
  while (!short_one.spent()) {  // ends
  }
}

}  // namespace
}  // namespace ganscale::training
