#include "planning/model/stragglers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ganscale::planning {
namespace {

TEST(MeanLargestNormal, IsThatOfTables) {
  EXPECT_NEAR(mean_largest_normal(1), 0, 1e-9);
  EXPECT_NEAR(mean_largest_normal(2), 1 / std::sqrt(std::numbers::pi), 1e-4);
  // Harter 1961, Biometrika 48: order statistics of the normal distribution
  EXPECT_NEAR(mean_largest_normal(5), 1.16296, 1e-4);
  EXPECT_NEAR(mean_largest_normal(10), 1.53875, 1e-4);
  EXPECT_NEAR(mean_largest_normal(100), 2.50759, 1e-4);
}

}  // namespace
}  // namespace ganscale::planning
