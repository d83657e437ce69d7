#include "scaling_sweep/statistics/summary.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ganscale::controller::scaling_sweep {
namespace {

TEST(Summary, MedianIsTheMiddleValue) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Summary, VariationIsOfASample) {
  EXPECT_NEAR(*variation({9, 10, 11}), 0.1, 1e-12);
  EXPECT_EQ(variation({5}), std::nullopt);
}

TEST(Summary, IntervalIsStudentsOfTheLogarithms) {
  // log: -1, 0, 1; mean 0, standard error 1 / sqrt(3), t = 4.3027: ± 2.48414
  const auto interval = interval_of({std::exp(-1), 1, std::exp(1)});
  EXPECT_NEAR(std::log(interval->low), -2.48414, 1e-4);
  EXPECT_NEAR(std::log(interval->high), 2.48414, 1e-4);
}

TEST(Summary, IntervalOfWhatDoesNotVaryIsAPoint) {
  const auto interval = interval_of({8, 8, 8});
  EXPECT_DOUBLE_EQ(interval->low, 8);
  EXPECT_DOUBLE_EQ(interval->high, 8);
}

TEST(Summary, OneValueOrOneThatIsNotPositiveHasNoInterval) {
  EXPECT_FALSE(interval_of({8}));
  EXPECT_FALSE(interval_of({8, 0}));
  EXPECT_FALSE(interval_of_ratio({8, 9}, {4}));
}

TEST(Summary, IntervalOfARatioIsWelchs) {
  // Equal variances 1/3 and counts: degrees 4, t = 2.7764, error sqrt(2/3): ± 2.26692
  const auto interval =
      interval_of_ratio({2 * std::exp(-1), 2, 2 * std::exp(1)}, {std::exp(-1), 1, std::exp(1)});
  EXPECT_NEAR(std::log(interval->high / 2), 2.26692, 1e-4);
  EXPECT_NEAR(std::log(interval->low / 2), -2.26692, 1e-4);
  const auto exact = interval_of_ratio({6, 6}, {2, 2});
  EXPECT_NEAR(exact->low, 3, 1e-12);
  EXPECT_NEAR(exact->high, 3, 1e-12);
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
