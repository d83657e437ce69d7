#include "metrics/distances/equivariance.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ganscale::metrics {
namespace {

constexpr std::int64_t kSide = 32;

/// Where the pixels of an image are in the image before it turned and moved: [H, W] each.
struct Places {
  at::Tensor x;
  at::Tensor y;
};

Places places_before(double degrees, const Translation& by) {
  const double c = std::cos(degrees / 180 * std::numbers::pi);
  const double s = std::sin(degrees / 180 * std::numbers::pi);
  const auto line = at::arange(kSide, at::TensorOptions(at::kDouble)) - (kSide - 1) / 2.0;
  const auto x = line.unsqueeze(0) - by.right;
  const auto y = line.unsqueeze(1) - by.down;
  return {x * c - y * s, x * s + y * c};
}

/// A wave of so many cycles per pixel, [1, 1, H, W].
at::Tensor wave(const Places& at, double right, double down) {
  return ((at.x * right + at.y * down) * (2 * std::numbers::pi) + 0.3)
      .cos()
      .view({1, 1, kSide, kSide});
}

at::Tensor waves(double degrees, const Translation& by) {
  const auto at = places_before(degrees, by);
  return wave(at, 0.1, 0.03) / 2 + wave(at, -0.05, 0.14) / 2;
}

at::Tensor noise() { return at::rand({2, 3, kSide, kSide}, at::kDouble) * 2 - 1; }

// The sources of 3 columns and 2 rows lie outside the image.
TEST(CompareTranslated, FollowsWholePixelsExactly) {
  const auto images = noise();
  const auto moved = images.roll({-2, 3}, {2, 3});
  const auto errors = compare_translated(images, moved, {.right = 3, .down = -2});
  EXPECT_EQ(errors.sum, 0);
  EXPECT_EQ(errors.count, 2 * 3 * (kSide - 3) * (kSide - 2));
  EXPECT_GT(compare_translated(images, moved, {.right = -3, .down = 2}).sum, 100);
}

TEST(CompareTranslated, FollowsFractionsOfSmoothImages) {
  for (const Translation by : {Translation{2.4, -1.7}, Translation{-0.5, 0}, Translation{0, 3.9}}) {
    const auto moved = waves(0, by);
    EXPECT_GT(decibels_of(compare_translated(waves(0, {}), moved, by)), 45) << by.right;
    const Translation other{by.right + 0.5, by.down};
    EXPECT_LT(decibels_of(compare_translated(waves(0, {}), moved, other)), 25) << by.right;
  }
}

TEST(CompareTurned, FollowsRotationsOfSmoothImages) {
  for (const double degrees : {17.0, -75.0, 90.0, 163.0}) {
    const auto turned = waves(degrees, {});
    EXPECT_GT(decibels_of(compare_turned(waves(0, {}), turned, degrees)), 40) << degrees;
    EXPECT_LT(decibels_of(compare_turned(waves(0, {}), turned, degrees + 5)), 25) << degrees;
    EXPECT_LT(decibels_of(compare_turned(waves(0, {}), waves(0, {}), degrees)), 15) << degrees;
  }
}

// 0.45 cycles per pixel both ways is 0.64 along the diagonal, which no pixels hold after an eighth of
// a turn. Neither side of the comparison has it then.
TEST(CompareTurned, LeavesOutFrequenciesThatARotationLoses) {
  const auto corner = [](double degrees) { return wave(places_before(degrees, {}), 0.45, 0.45); };
  const auto smooth = waves(0, {});
  const auto expected = decibels_of(compare_turned(smooth, waves(45, {}), 45));
  EXPECT_GT(expected, 40);
  const auto lost = compare_turned(smooth + corner(0), waves(45, {}), 45);
  EXPECT_GT(decibels_of(lost), 25);
  const auto added = compare_turned(smooth, waves(45, {}) + corner(0), 45);
  EXPECT_GT(decibels_of(added), 25);
}

TEST(CompareTurned, LeavesOutPixelsNearTheEdges) {
  const auto images = noise();
  EXPECT_EQ(compare_turned(images, images, 0).count, 2 * 3 * (kSide - 12) * (kSide - 12));
  const auto small = images.narrow(2, 0, 12).narrow(3, 0, 12);
  EXPECT_EQ(compare_turned(small, small, 30).count, 0);
}

// A mean of 0.04 is a hundredth of the peak's square.
TEST(Decibels, AreRelativeToThePeakAndBounded) {
  EXPECT_NEAR(decibels_of({.sum = 0.4, .count = 10}), 20, 1e-12);
  EXPECT_NEAR(decibels_of({.sum = 0, .count = 10}), 20 * std::log10(2) * 25, 1e-9);
}

}  // namespace
}  // namespace ganscale::metrics
