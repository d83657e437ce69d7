#include "metrics/distances/path_length.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <numbers>

namespace ganscale::metrics {
namespace {

// A quarter of a circle, from (1, 0) to (0, 1): a third of it is at 30 degrees.
TEST(OnArc, TurnsAtAConstantRateAtTheUsualLength) {
  const auto a = at::tensor({5.0, 0.0}, at::kDouble).view({1, 2});
  const auto b = at::tensor({0.0, 0.1}, at::kDouble).view({1, 2});
  const auto point = [&](double t) { return on_arc(a, b, at::full({1, 1}, t, at::kDouble))[0]; };
  const double length = std::numbers::sqrt2;
  EXPECT_NEAR(point(0)[0].item<double>(), length, 1e-12);
  EXPECT_NEAR(point(0)[1].item<double>(), 0, 1e-12);
  EXPECT_NEAR(point(1.0 / 3)[0].item<double>(), length * std::numbers::sqrt3 / 2, 1e-12);
  EXPECT_NEAR(point(1.0 / 3)[1].item<double>(), length / 2, 1e-12);
  EXPECT_NEAR(point(1)[1].item<double>(), length, 1e-12);
}

TEST(FaceOf, HasRowsFrom3To7EighthsAndColumnsFrom2To6) {
  const auto images = at::arange(8 * 8).view({1, 1, 8, 8});
  const auto face = face_of(images);
  ASSERT_EQ(face.sizes(), (at::IntArrayRef{1, 1, 4, 4}));
  EXPECT_EQ(face[0][0][0][0].item<int>(), 3 * 8 + 2);
  EXPECT_EQ(face[0][0][3][3].item<int>(), 6 * 8 + 5);
}

// Of 0 ... 100 the percentiles are 1 and 99; of 0 ... 50 they are 0.5 and 49.5, rounded outward.
TEST(MeanWithoutTails, LeavesOutTheLongestAndTheShortestPercent) {
  auto lengths = at::arange(101).to(at::kDouble);
  lengths[100] = 1e9;
  lengths[0] = -1e9;
  EXPECT_NEAR(mean_without_tails(lengths.flip({0})), 50, 1e-9);
  EXPECT_NEAR(mean_without_tails(at::arange(51).to(at::kDouble)), 25, 1e-9);
  EXPECT_NEAR(mean_without_tails(at::full({1}, 7.0, at::kDouble)), 7, 1e-12);
}

}  // namespace
}  // namespace ganscale::metrics
