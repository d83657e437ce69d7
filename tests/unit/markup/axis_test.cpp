#include "markup/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ganscale::markup {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

TEST(Axis, MarksAreAtRoundNumbersAroundTheValues) {
  const Axis axis = make_axis(0.3, 1.9, 4, false);
  EXPECT_THAT(axis.marks, Pointwise(DoubleNear(1e-12), {0.0, 0.5, 1.0, 1.5, 2.0}));
  EXPECT_EQ(axis.from, 0);
  EXPECT_EQ(axis.to, 2);
}

TEST(Axis, EndsAtItsValuesIfTight) {
  const Axis axis = make_axis(4, 2000, 5, true);
  EXPECT_EQ(axis.from, 4);
  EXPECT_EQ(axis.to, 2000);
  EXPECT_THAT(axis.marks, ElementsAre(500, 1000, 1500, 2000));
  EXPECT_DOUBLE_EQ(axis.share(1002), 0.5);
}

TEST(Axis, HasRoomAroundAFlatCurve) {
  const Axis axis = make_axis(2e-4, 2e-4, 4, false);
  EXPECT_LT(axis.from, 2e-4);
  EXPECT_GT(axis.to, 2e-4);
  const Axis zero = make_axis(0, 0, 4, false);
  EXPECT_EQ(zero.from, -1);
  EXPECT_EQ(zero.to, 1);
}

TEST(Axis, HasFiniteMarksForTheLargestNumbers) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const Axis axis = make_axis(-kMost, kMost, 4, false);
  ASSERT_THAT(axis.marks, testing::SizeIs(testing::AllOf(testing::Ge(3), testing::Le(9))));
  for (const double mark : axis.marks) EXPECT_TRUE(std::isfinite(mark)) << mark;
}

TEST(LogAxis, IsEvenInPowers) {
  const LogAxis axis{.from = 2, .to = 32};
  EXPECT_DOUBLE_EQ(axis.share(2), 0);
  EXPECT_DOUBLE_EQ(axis.share(8), 0.5);
  EXPECT_DOUBLE_EQ(axis.share(32), 1);
}

TEST(LogAxis, ReachesFromAPowerOfTwoToAnother) {
  const LogAxis axis = make_log_axis({3, 1.5, 5});
  EXPECT_EQ(axis.from, 1);
  EXPECT_EQ(axis.to, 8);
  const LogAxis single = make_log_axis({4});
  EXPECT_EQ(single.from, 4);
  EXPECT_EQ(single.to, 8);
}

}  // namespace
}  // namespace ganscale::markup
