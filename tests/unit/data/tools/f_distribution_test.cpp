#include "data/tools/f_distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ganscale::data {
namespace {

// scipy.stats.f.sf of SciPy 1.17.
TEST(FTest, MatchesScipyUnlessPUnderflows) {
  EXPECT_NEAR(log10_f_test_p(1, 2, 10), -0.39590623023812416, 1e-12);
  EXPECT_NEAR(log10_f_test_p(3.5, 9, 1000), -3.5496378562085984, 1e-11);
  EXPECT_NEAR(log10_f_test_p(0.2, 4, 50), -0.028173153291661517, 1e-12);
  EXPECT_NEAR(log10_f_test_p(25, 9, 50000), -42.62822562889894, 1e-9);
}

// The power series of the incomplete beta function, summed with 60 digits (mpmath).
TEST(FTest, IsFiniteEvenIfPUnderflows) {
  EXPECT_NEAR(log10_f_test_p(120, 9, 51200000), -226.016026070154, 1e-6);
  EXPECT_NEAR(log10_f_test_p(1000, 9, 50000), -1785.58069551043, 1e-6);
  EXPECT_NEAR(log10_f_test_p(10000, 9, 51200000), -19510.8771381488, 1e-5);
  EXPECT_NEAR(log10_f_test_p(3000, 999, 1000000), -299218.403745713, 1e-4);
}

TEST(FTest, OfNoDifferenceHasPOne) { EXPECT_NEAR(log10_f_test_p(0, 3, 20), 0, 1e-12); }

TEST(FTest, OfNoVarianceWithinHasPZero) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(log10_f_test_p(infinity, 3, 20), -infinity);
}

}  // namespace
}  // namespace ganscale::data
