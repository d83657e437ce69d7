#include "training/loop/schedule.h"

#include <gtest/gtest.h>

namespace ganscale::training {
namespace {

TEST(Schedule, IsDueWhenAMultipleIsReachedOrPassed) {
  EXPECT_FALSE(is_due(1.0, 0, 999));
  EXPECT_TRUE(is_due(1.0, 999, 1000));
  EXPECT_FALSE(is_due(1.0, 1000, 1999));
  EXPECT_TRUE(is_due(0.5, 1472, 1536));
  EXPECT_TRUE(is_due(0.064, 64, 128)) << "a tick per step";
}

TEST(Schedule, OfZeroIsNeverDue) { EXPECT_FALSE(is_due(0, 0, 1 << 30)); }

}  // namespace
}  // namespace ganscale::training
