#include "base/finite_values.h"

#include <gtest/gtest.h>

namespace ganscale {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(FiniteValues, HaveAMeanAndAMinimum) {
  const FiniteValues finite({kNaN, 3, -1, -kInfinity, 4});
  EXPECT_EQ(finite.mean, 2);
  EXPECT_EQ(finite.minimum, -1);
}

TEST(FiniteValues, HaveNeitherWhereThereAreNone) {
  for (const std::vector<double>& values : {std::vector<double>{}, {kNaN, kInfinity}}) {
    EXPECT_TRUE(std::isnan(FiniteValues(values).mean));
    EXPECT_TRUE(std::isnan(FiniteValues(values).minimum));
  }
}

}  // namespace
}  // namespace ganscale
