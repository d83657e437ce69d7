#include "models/latent_truncation.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "kernels/counter_random/counter_random.h"

namespace ganscale::models {
namespace {

TEST(TruncateLatents, KeepsWhatIsWithinTheThreshold) {
  const auto z = at::tensor({0.3, -0.4, 1.2, -5.0}, at::kDouble);
  const auto truncated = truncate_latents(z, at::full({4}, 0.5, at::kDouble), 0.5);
  EXPECT_TRUE(at::allclose(truncated, at::tensor({0.3, -0.4, 0.0, 0.0}, at::kDouble)));
}

// Of the normal distribution within +-1 the deviation is 0.5396, half of the numbers are within
// 0.4417 (its quartiles).
TEST(TruncateLatents, DrawsFromTheNormalDistributionWithinTheThreshold) {
  const auto options = at::TensorOptions(at::kDouble);
  const auto z = kernels::random_normal({.seed = 1}, Stream::kSamples, 0, {1000, 40}, options);
  const auto uniform =
      kernels::random_uniform({.seed = 1}, Stream::kSamples, 1, {1000, 40}, options);
  const auto truncated = truncate_latents(z, uniform, 1);
  EXPECT_LE(truncated.abs().max().item<double>(), 1);
  EXPECT_NEAR(truncated.std().item<double>(), 0.5396, 0.01);
  EXPECT_NEAR((truncated.abs() < 0.4417).to(at::kDouble).mean().item<double>(), 0.5, 0.015);
  EXPECT_NEAR(truncated.mean().item<double>(), 0, 0.02);
}

}  // namespace
}  // namespace ganscale::models
