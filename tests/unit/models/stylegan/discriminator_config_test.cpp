#include "models/stylegan/discriminator_config.h"

#include <gtest/gtest.h>

namespace ganscale::models::stylegan {
namespace {

TEST(DiscriminatorConfig, KeepsItsClampInFloat32AfterTrainingInLowPrecision) {
  const DiscriminatorConfig trained_low{
      .resolution = 32, .low_precision_resolutions = 2, .low_precision_type = at::kFloat};
  EXPECT_EQ(trained_low.compute_type(32, at::kFloat), at::kFloat);
  EXPECT_EQ(trained_low.clamp(), 256);
  const DiscriminatorConfig trained_wide{.resolution = 32, .low_precision_resolutions = 2};
  EXPECT_EQ(trained_wide.clamp(), std::nullopt);
}

TEST(DiscriminatorConfig, ClampsInAnyPrecisionIfConfigured) {
  const DiscriminatorConfig always{.conv_clamp = 4, .clamps_always = true};
  EXPECT_EQ(always.clamp(), 4);
  const DiscriminatorConfig never{.conv_clamp = 0, .clamps_always = true};
  EXPECT_EQ(never.clamp(), std::nullopt);
}

}  // namespace
}  // namespace ganscale::models::stylegan
