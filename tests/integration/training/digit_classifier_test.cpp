#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>

#include "augmentation.h"
#include "classifier.h"
#include "support/shared_files.h"
#include "support/thorough.h"

namespace ganscale::features {
namespace {

TEST(InceptionScore, IsTenForClearDigitsInEqualParts) {
  const auto certain = at::eye(10, at::kDouble).clamp_min(1e-30).log();
  EXPECT_NEAR(inception_score(certain), 10, 1e-9);
}

TEST(InceptionScore, IsOneIfEveryImageIsTheSameDigitOrNone) {
  const auto one_digit = at::eye(10, at::kDouble)[3].clamp_min(1e-30).log().expand({7, 10});
  EXPECT_NEAR(inception_score(one_digit), 1, 1e-9);
  EXPECT_NEAR(inception_score(at::full({5, 10}, std::log(0.1), at::kDouble)), 1, 1e-9);
}

// Half of the images are surely a 0, half a 0 or a 1 alike: p(y) = (3/4, 1/4), the divergences
// are ln 4/3 and ln(1/2 / 3/4)/2 + ln(1/2 / 1/4)/2 = ln(4/3)/2.
TEST(InceptionScore, IsTheExponentialOfTheMeanDivergence) {
  auto p = at::zeros({2, 10}, at::kDouble);
  p[0][0] = 1;
  p[1].narrow(0, 0, 2).fill_(0.5);
  EXPECT_NEAR(inception_score(p.clamp_min(1e-30).log()), std::pow(4.0 / 3, 0.75), 1e-9);
}

// The images say 0, 1, 0, 1: of two splits, each has one digit alone.
TEST(InceptionScore, OfSplitsIsTheMeanOfEveryNthImages) {
  const auto alternating = at::eye(2, at::kDouble).clamp_min(1e-30).log().repeat({2, 1});
  EXPECT_NEAR(inception_score(alternating), 2, 1e-9);
  EXPECT_NEAR(inception_score(alternating, /*splits=*/2), 1, 1e-9);
}

at::Tensor images_with_a_dot(std::int64_t count, std::int64_t row, std::int64_t column) {
  auto images = at::zeros({count, 1, 32, 32}, at::kByte);
  images.select(2, row).select(2, column).fill_(255);
  return images;
}

/// Returns the places (row, column) of the brightest pixels.
std::set<std::pair<std::int64_t, std::int64_t>> places_of_dots(const at::Tensor& images) {
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  for (std::int64_t i = 0; i < images.size(0); ++i) {
    const auto place = images[i].flatten().argmax().item<std::int64_t>();
    places.emplace(place / 32, place % 32);
  }
  return places;
}

TEST(Augmentation, MovesADotToEveryPlaceWithinFourPixelsOfItAndOfItsMirrorImage) {
  const auto images = mirrored_and_shifted(images_with_a_dot(5000, 10, 10), {.seed = 1});
  EXPECT_EQ(images.to(at::kLong).sum().item<std::int64_t>(), 5000 * 255);
  std::set<std::pair<std::int64_t, std::int64_t>> expected;
  for (std::int64_t row = 6; row <= 14; ++row) {
    for (std::int64_t shift = -4; shift <= 4; ++shift) {
      expected.emplace(row, 10 + shift);
      expected.emplace(row, 21 + shift);
    }
  }
  EXPECT_EQ(places_of_dots(images), expected);
}

TEST(Augmentation, ShiftsADotOutOfTheImage) {
  const auto images = mirrored_and_shifted(images_with_a_dot(200, 0, 0), {.seed = 1});
  const auto dots = images.flatten(1).amax(1).eq(255).sum().item<std::int64_t>();
  EXPECT_GT(dots, 0);
  EXPECT_LT(dots, 200);
}

TEST(Augmentation, DependsOnTheNumbersOfTheImages) {
  const auto dots = images_with_a_dot(8, 16, 16);
  const auto all = mirrored_and_shifted(dots, {.seed = 1});
  EXPECT_TRUE(all.narrow(0, 5, 3).equal(
      mirrored_and_shifted(dots.narrow(0, 5, 3), {.seed = 1, .first_image = 5})));
  EXPECT_FALSE(all.equal(mirrored_and_shifted(dots, {.seed = 2})));
}

TEST(Classifier, LearnsRealDigitsTo97PercentAndGivesThemAHighScore) {
  if (!is_thorough()) GTEST_SKIP() << "half a minute: make check-long runs it";
  const auto train = shared_file("data/mnist/train-images-idx3-ubyte.gz");
  const auto test = shared_file("data/mnist/t10k-images-idx3-ubyte.gz");
  if (!train || !test) GTEST_SKIP() << "no MNIST: $GANSCALE_SHARED/data/mnist";
  Classifier classifier({}, /*seed=*/1000);
  classifier.train(read_labeled(*train), /*epochs=*/2);
  const auto digits = read_labeled(*test);
  const auto log_probabilities = classifier.log_probabilities(digits.images);
  EXPECT_GE(accuracy(log_probabilities, digits.labels), 0.97);
  EXPECT_GE(inception_score(log_probabilities), 9);
}

}  // namespace
}  // namespace ganscale::features
