#include "metrics/distances/kernel_distance.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"

namespace ganscale::metrics {
namespace {

TEST(RandomSubset, HoldsDifferentNumbersOfTheRange) {
  const auto subset = random_subset(50, 20, 7, 0);
  EXPECT_EQ(std::set<std::int64_t>(subset.begin(), subset.end()).size(), 20);
  EXPECT_THAT(subset, testing::Each(testing::AllOf(testing::Ge(0), testing::Lt(50))));
}

TEST(RandomSubset, OfAllIsAll) {
  std::vector<std::int64_t> all(9);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(random_subset(9, 9, 7, 3), all);
}

TEST(RandomSubset, DependsOnSeedAndIndexOnly) {
  EXPECT_EQ(random_subset(1000, 10, 7, 0), random_subset(1000, 10, 7, 0));
  EXPECT_NE(random_subset(1000, 10, 7, 0), random_subset(1000, 10, 7, 1));
  EXPECT_NE(random_subset(1000, 10, 7, 0), random_subset(1000, 10, 8, 0));
}

// Each of 10 numbers is in 3 of 10 subsets: 3000 of 10000, with a deviation of 46.
TEST(RandomSubset, ChoosesEveryNumberEquallyOften) {
  std::vector<int> chosen(10);
  for (std::uint64_t index = 0; index < 10000; ++index) {
    for (const auto number : random_subset(10, 3, 1, index)) ++chosen[number];
  }
  EXPECT_THAT(chosen, testing::Each(testing::AllOf(testing::Gt(2800), testing::Lt(3200))));
}

// k(x, y) = (xy + 1)^3. Pairs of {0, 1}: 1; of {1, 2}: 27; between: (1 + 1 + 8 + 27) / 4.
TEST(KernelDistance, IsTheUnbiasedMeanDiscrepancyOfTheCubicKernel) {
  const auto a = at::tensor({0.0F, 1.0F}).view({2, 1});
  const auto b = at::tensor({1.0F, 2.0F}).view({2, 1});
  EXPECT_NEAR(kernel_distance(a, b), 1 + 27 - 2 * 37.0 / 4, 1e-12);
}

// (1 * 1 + 1 * 1) / 2 + 1 = 2, cubed.
TEST(KernelDistance, DividesProductsByTheNumberOfFeatures) {
  const auto ones = at::ones({2, 2});
  EXPECT_NEAR(kernel_distance(ones, at::zeros({2, 2})), 8 + 1 - 2 * 1, 1e-12);
}

TEST(KernelInceptionDistance, IsZeroForOneSetDrawnWhole) {
  // A subset that is the whole set: the same features on both sides leave only what the pairs
  // without themselves make of it, (0 + 1)^3 here.
  const auto zeros = at::zeros({5, 3});
  const auto group = comm::make_single_group();
  const auto distance =
      kernel_inception_distance(zeros, zeros, {.count = 4, .size = 1000, .seed = 1}, *group);
  EXPECT_NEAR(distance.mean, 0, 1e-12);
  EXPECT_NEAR(distance.deviation, 0, 1e-12);
}

TEST(KernelInceptionDistance, DoesNotDependOnTheNumberOfRanks) {
  at::manual_seed(3);
  const auto real = at::randn({60, 4});
  const auto fake = at::randn({50, 4}).add(0.5);
  const Subsets subsets{.count = 7, .size = 20, .seed = 9};
  const auto alone = comm::make_single_group();
  const auto expected = kernel_inception_distance(real, fake, subsets, *alone);
  EXPECT_GT(expected.mean, 0);
  EXPECT_GT(expected.deviation, 0);
  for (const int ranks : {2, 4}) {
    comm::run_ranks(ranks, [&](comm::Group& group) {
      const auto distance = kernel_inception_distance(real, fake, subsets, group);
      EXPECT_DOUBLE_EQ(distance.mean, expected.mean);
      EXPECT_DOUBLE_EQ(distance.deviation, expected.deviation);
    });
  }
}

TEST(KernelInceptionDistance, NeedsTwoImagesOfEachSet) {
  const auto group = comm::make_single_group();
  expect_error(ExitCode::kData, "at least two images of each set: 1 real, 5 generated",
               [&] { kernel_inception_distance(at::ones({1, 2}), at::ones({5, 2}), {}, *group); });
}

}  // namespace

}  // namespace ganscale::metrics
