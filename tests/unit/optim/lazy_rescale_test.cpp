#include "optim/lazy_rescale.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ganscale::optim {
namespace {

OptimizerConfig with_beta1(double beta1) {
  OptimizerConfig config;
  config.learning_rate = 0.0025;
  config.beta1 = beta1;
  config.beta2 = 0.99;
  return config;
}

// c = 4 / 5.
TEST(LazilyRescaled, MakesFiveStepsOfFour) {
  const auto rescaled = lazily_rescaled(with_beta1(0), 4);
  EXPECT_DOUBLE_EQ(rescaled.learning_rate, 0.002);
  EXPECT_DOUBLE_EQ(rescaled.beta1, 0);
  EXPECT_DOUBLE_EQ(rescaled.beta2, std::pow(0.99, 0.8));
}

TEST(LazilyRescaled, LeavesAnOptimizerWithoutRegularizationAlone) {
  EXPECT_DOUBLE_EQ(lazily_rescaled(with_beta1(0.5), 0).learning_rate, 0.0025);
  EXPECT_DOUBLE_EQ(lazily_rescaled(with_beta1(0.5), 0).beta1, 0.5);
}

}  // namespace
}  // namespace ganscale::optim
