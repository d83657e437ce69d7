#include "metrics/distances/moments.h"

#include <ATen/ATen.h>

#include <limits>

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"

namespace ganscale::metrics {
namespace {

// Means 3 and 4; deviations (-2, -2), (0, 0), (2, 2): squares 8, products 8.
const at::Tensor kThreePoints =
    at::tensor({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, at::kDouble).view({3, 2});

TEST(Moments, AreMeanAndCovarianceOverEitherDivisor) {
  Moments moments(2);
  moments.add(kThreePoints.to(at::kFloat));
  const auto over_two = moments.gaussian(Divisor::kCountMinusOne);
  EXPECT_TRUE(at::equal(over_two.mean, at::tensor({3.0, 4.0}, at::kDouble)));
  EXPECT_TRUE(at::equal(over_two.covariance, at::full({2, 2}, 4.0, at::kDouble)));
  const auto over_three = moments.gaussian(Divisor::kCount);
  EXPECT_TRUE(at::allclose(over_three.covariance, at::full({2, 2}, 8.0 / 3, at::kDouble)));
}

TEST(Moments, LoseNoDigitsIfTheMeanIsLarge) {
  Moments moments(2);
  for (std::int64_t i = 0; i < 3; ++i) moments.add(kThreePoints.narrow(0, i, 1).add(1e9));
  const auto gaussian = moments.gaussian(Divisor::kCountMinusOne);
  EXPECT_TRUE(at::allclose(gaussian.covariance, at::full({2, 2}, 4.0, at::kDouble), 1e-6, 0));
}

TEST(Moments, DoNotDependOnBatchesOrRanks) {
  at::manual_seed(1);
  const auto features = at::randn({103, 5}, at::kDouble).add(7);
  Moments whole(5);
  whole.add(features);
  const auto expected = whole.gaussian(Divisor::kCountMinusOne);
  for (const int ranks : {1, 2, 4}) {
    comm::run_ranks(ranks, [&](comm::Group& group) {
      Moments mine(5);
      for (std::int64_t i = group.rank(); i < 103; i += group.size()) {
        mine.add(features.narrow(0, i, 1));
      }
      mine.merge(group);
      const auto merged = mine.gaussian(Divisor::kCountMinusOne);
      EXPECT_EQ(merged.count, 103);
      EXPECT_TRUE(at::allclose(merged.mean, expected.mean, 1e-12));
      EXPECT_TRUE(at::allclose(merged.covariance, expected.covariance, 1e-12, 1e-13));
    });
  }
}

TEST(Moments, MergeWithARankThatHasNone) {
  comm::run_ranks(2, [&](comm::Group& group) {
    Moments moments(2);
    if (group.rank() == 1) moments.add(kThreePoints);
    moments.merge(group);
    const auto covariance = moments.gaussian(Divisor::kCountMinusOne).covariance;
    EXPECT_TRUE(at::equal(covariance, at::full({2, 2}, 4.0, at::kDouble)));
  });
}

TEST(Moments, RefuseFeaturesThatAreNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Moments moments(2);
    moments.add(kThreePoints);
    expect_error(ExitCode::kData, "NaN or infinite: among 1 images after the first 3",
                 [&] { moments.add(at::full({1, 2}, bad)); });
  }
}

TEST(Moments, NeedTwoImages) {
  Moments moments(2);
  moments.add(kThreePoints.narrow(0, 0, 1));
  expect_error(ExitCode::kData, "at least two images: 1",
               [&] { moments.gaussian(Divisor::kCount); });
}

}  // namespace
}  // namespace ganscale::metrics
