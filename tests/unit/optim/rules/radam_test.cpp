#include "optim/rules/radam.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ganscale::optim {
namespace {

// beta2 = 0.9: rho_inf = 19; step 100: rho = 19 - 200 * 0.9^100 / (1 - 0.9^100) = 18.99469...
TEST(Rectification, FollowsTheFormula) {
  const double decay = std::pow(0.9, 100);
  const double rho = 19 - 200 * decay / (1 - decay);
  EXPECT_NEAR(rho, 18.9947, 1e-4);
  const double expected = std::sqrt((rho - 4) * (rho - 2) * 19 / (15 * 17 * rho));
  EXPECT_NEAR(rectification(0.9, 100).value(), expected, 1e-12);
}

// beta2 = 0.999: rho grows by almost one per step from 1, so that it passes 5 at step 6.
TEST(Rectification, BeginsWhenTheVarianceIsTractable) {
  EXPECT_FALSE(rectification(0.999, 1));
  EXPECT_FALSE(rectification(0.999, 5));
  EXPECT_TRUE(rectification(0.999, 6));
}

TEST(Rectification, NeverBeginsForASmallBeta2) { EXPECT_FALSE(rectification(0.5, 1000)); }

}  // namespace
}  // namespace ganscale::optim
