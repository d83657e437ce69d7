#include "metrics/distances/random_subset.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>

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

}  // namespace
}  // namespace ganscale::metrics
