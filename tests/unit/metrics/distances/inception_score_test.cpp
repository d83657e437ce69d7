#include "metrics/distances/inception_score.h"

#include <ATen/ATen.h>

#include <cmath>

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"

namespace ganscale::metrics {
namespace {

// A logit of 1000 is a probability of exactly 1.
at::Tensor sure_of(const std::vector<std::int64_t>& classes, std::int64_t class_count) {
  return at::one_hot(at::tensor(classes), class_count).to(at::kFloat).mul(1000);
}

TEST(InceptionScore, OfCertainAndBalancedProbabilitiesIsTheNumberOfClasses) {
  InceptionScore sums(4, 8, 2);
  sums.add(sure_of({0, 1, 2, 3, 3, 2, 1, 0}, 4), at::arange(8));
  EXPECT_NEAR(sums.score().mean, 4, 1e-9);
  EXPECT_NEAR(sums.score().deviation, 0, 1e-9);
}

TEST(InceptionScore, OfEqualProbabilitiesIsOne) {
  InceptionScore sums(3, 5, 1);
  sums.add(at::tensor({0.3F, 2.0F, -1.0F}).expand({5, 3}), at::arange(5));
  EXPECT_NEAR(sums.score().mean, 1, 1e-9);
}

// p = (3/4, 1/4) and (1/4, 3/4), the mean (1/2, 1/2): KL = 3/4 log(3/2) + 1/4 log(1/2).
TEST(InceptionScore, IsTheExponentialOfTheMeanDivergence) {
  InceptionScore sums(2, 2, 1);
  const auto log3 = static_cast<float>(std::log(3.0));
  sums.add(at::tensor({log3, 0.0F, 0.0F, log3}).view({2, 2}), at::arange(2));
  EXPECT_NEAR(sums.score().mean, std::exp(0.75 * std::log(1.5) + 0.25 * std::log(0.5)), 1e-6);
}

// The first half sees one class (score 1), the second both (score 2).
TEST(InceptionScore, SplitsImagesInTheOrderOfTheirNumbers) {
  InceptionScore sums(2, 4, 2);
  sums.add(sure_of({0, 1}, 2), at::tensor({std::int64_t{2}, std::int64_t{3}}));
  sums.add(sure_of({1, 1}, 2), at::arange(2));
  EXPECT_NEAR(sums.score().mean, 1.5, 1e-9);
  EXPECT_NEAR(sums.score().deviation, 0.5, 1e-9);
}

// Two of five images in the first split, of one class (score 1); three of three (score 3).
TEST(InceptionScore, BeginsEachSplitAtTheFloorOfItsShare) {
  InceptionScore sums(3, 5, 2);
  sums.add(sure_of({0, 0, 0, 1, 2}, 3), at::arange(5));
  EXPECT_NEAR(sums.score().mean, 2, 1e-9);
  EXPECT_NEAR(sums.score().deviation, 1, 1e-9);
}

TEST(InceptionScore, DoesNotDependOnTheNumberOfRanks) {
  at::manual_seed(2);
  const auto logits = at::randn({30, 7}, at::kDouble);
  InceptionScore whole(7, 30, 3);
  whole.add(logits, at::arange(30));
  for (const int ranks : {2, 4}) {
    comm::run_ranks(ranks, [&](comm::Group& group) {
      InceptionScore mine(7, 30, 3);
      const auto images = at::arange(group.rank(), 30, group.size());
      mine.add(logits.index_select(0, images), images);
      mine.merge(group);
      EXPECT_NEAR(mine.score().mean, whole.score().mean, 1e-12);
      EXPECT_NEAR(mine.score().deviation, whole.score().deviation, 1e-12);
    });
  }
}

TEST(InceptionScore, RefusesProbabilitiesThatAreNotFinite) {
  InceptionScore sums(2, 2, 1);
  expect_error(ExitCode::kData, "NaN or infinite",
               [&] { sums.add(at::full({2, 2}, NAN), at::arange(2)); });
}

TEST(InceptionScore, RefusesASplitWithoutImages) {
  InceptionScore sums(2, 4, 2);
  sums.add(sure_of({0, 1}, 2), at::arange(2));
  expect_error(ExitCode::kData, "a split without images", [&] { sums.score(); });
}

}  // namespace
}  // namespace ganscale::metrics
