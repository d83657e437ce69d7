#include "scaling_sweep/statistics/scaling_fit.h"

#include <gtest/gtest.h>

namespace ganscale::controller::scaling_sweep {
namespace {

/// What ranks measure that follow the law.
std::vector<ScalingPoint> exact(const ScalingFit& law) {
  std::vector<ScalingPoint> points;
  for (const double ranks : {1, 2, 4, 8, 16}) points.push_back({ranks, law.rate(ranks)});
  return points;
}

TEST(ScalingFit, FindsAmdahlsLaw) {
  // 5% serial: 16 ranks are 16 / (1 + 0.05 * 15) = 9.142857 times as fast
  const ScalingFit law{100, 0.05, 0, 1};
  EXPECT_NEAR(law.rate(16), 914.2857, 1e-4);
  for (const auto& found : {fit_amdahl(exact(law)), fit_usl(exact(law))}) {
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->rate_of_one, 100, 1e-5);
    EXPECT_NEAR(found->contention, 0.05, 1e-6);
    EXPECT_NEAR(found->coherence, 0, 1e-7);
    EXPECT_NEAR(found->r_squared, 1, 1e-9);
  }
}

TEST(ScalingFit, FindsTheLawOfAMeasuredSystem) {
  // SPEC SDM91 on a SPARCcenter 2000, published with R's package usl, which finds gamma 89.995,
  // alpha 0.02773 and beta 0.0001044, and the peak at 96.5.
  const std::vector<ScalingPoint> points{{1, 64.9},     {18, 995.9},   {36, 1652.4}, {72, 1853.2},
                                         {108, 1828.9}, {144, 1775.0}, {216, 1702.2}};
  const auto found = fit_usl(points);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->rate_of_one, 89.9952, 1e-3);
  EXPECT_NEAR(found->contention, 0.0277285, 1e-6);
  EXPECT_NEAR(found->coherence, 0.0001044, 1e-7);
  EXPECT_NEAR(*found->peak_ranks(), 96.5, 0.1);
  EXPECT_GT(found->r_squared, 0.98);
}

TEST(ScalingFit, HasNoShareBelowZero) {
  // Faster than linear: no contention is the best that the law can say.
  const auto found = fit_usl({{1, 10}, {2, 21}, {4, 44}, {8, 92}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->contention, 0);
  EXPECT_EQ(found->coherence, 0);
  EXPECT_FALSE(found->peak_ranks());
}

TEST(ScalingFit, NeedsMoreSizesThanParameters) {
  EXPECT_FALSE(fit_amdahl({{1, 10}, {2, 19}}));
  EXPECT_FALSE(fit_amdahl({{1, 10}, {2, 19}, {2, 18}})) << "two sizes";
  EXPECT_TRUE(fit_amdahl({{1, 10}, {2, 19}, {4, 36}}));
  EXPECT_FALSE(fit_usl({{1, 10}, {2, 19}, {4, 36}}));
  EXPECT_FALSE(fit_usl({}));
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
