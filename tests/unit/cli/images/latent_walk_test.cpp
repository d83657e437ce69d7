#include "cli/images/latent_walk.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

namespace ganscale::cli {
namespace {

TEST(ClosedWalk, PassesThroughItsKeysAndReturns) {
  const auto keys = at::randn({3, 2, 4}, at::kDouble);
  const auto points = closed_walk(keys, 5);
  ASSERT_EQ(points.sizes(), (std::vector<std::int64_t>{15, 2, 4}));
  for (int key = 0; key < 3; ++key) EXPECT_TRUE(points[5 * key].equal(keys[key]));
}

// Halfway, a Catmull-Rom spline is (-p0 + 9 p1 + 9 p2 - p3) / 16.
TEST(ClosedWalk, IsSmoothBetweenKeys) {
  const auto keys = at::tensor({16.0, 32.0, 80.0, 48.0}, at::kDouble).unsqueeze(1);
  const auto points = closed_walk(keys, 2).flatten();
  EXPECT_DOUBLE_EQ(points[1].item<double>(), (-48 + 9 * 16 + 9 * 32 - 80) / 16.0);
  EXPECT_DOUBLE_EQ(points[7].item<double>(), (-80 + 9 * 48 + 9 * 16 - 32) / 16.0);
}

TEST(LatentBetween, ChangesItsLengthEvenly) {
  const auto from = at::tensor({3.0, 0.0}, at::kDouble).unsqueeze(0);
  const auto to = at::tensor({0.0, 5.0}, at::kDouble).unsqueeze(0);
  const auto length_at = [&](double t) {
    return latent_between(from, to, t).norm().item<double>();
  };
  EXPECT_DOUBLE_EQ(length_at(0.5), 4);
  EXPECT_DOUBLE_EQ(length_at(0.25), 3.5);
  EXPECT_TRUE(latent_between(from, to, 0).equal(from));
  EXPECT_TRUE(latent_between(from, to, 1).equal(to));
}

TEST(LatentBetween, IsANumberHalfwayBetweenOpposites) {
  const auto from = at::tensor({1.0, 2.0}, at::kDouble).unsqueeze(0);
  EXPECT_TRUE(latent_between(from, -from, 0.5).isfinite().all().item<bool>());
}

}  // namespace
}  // namespace ganscale::cli
