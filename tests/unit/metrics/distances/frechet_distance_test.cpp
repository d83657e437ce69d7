#include "metrics/distances/frechet_distance.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ganscale::metrics {
namespace {

Gaussian gaussian(std::vector<double> mean, std::vector<double> covariance) {
  const auto size = static_cast<std::int64_t>(mean.size());
  return {100, at::tensor(mean, at::kDouble),
          at::tensor(covariance, at::kDouble).view({size, size})};
}

// (0 - 3)^2 + 1 + 4 - 2 * sqrt(1 * 4)
TEST(FrechetDistance, InOneDimensionComparesMeansAndDeviations) {
  EXPECT_NEAR(frechet_distance(gaussian({0}, {1}), gaussian({3}, {4})), 10, 1e-12);
}

TEST(FrechetDistance, OfEqualDistributionsIsZero) {
  const auto one = gaussian({1, 2}, {2, 1, 1, 2});
  EXPECT_NEAR(frechet_distance(one, one), 0, 1e-12);
}

// The root of a 2x2 matrix M with positive eigenvalues has the trace sqrt(tr M + 2 sqrt(det M));
// here M = [[2, 1], [1, 2]] diag(1, 4) has trace 10 and determinant 12.
TEST(FrechetDistance, OfCovariancesThatDoNotCommute) {
  const auto a = gaussian({0, 0}, {2, 1, 1, 2});
  const auto b = gaussian({0, 0}, {1, 0, 0, 4});
  const double expected = 4 + 5 - 2 * std::sqrt(10 + 2 * std::sqrt(12.0));
  EXPECT_NEAR(frechet_distance(a, b), expected, 1e-12);
  EXPECT_NEAR(frechet_distance(b, a), expected, 1e-12);
}

// Both lie on a line: [[1, 1], [1, 1]] has the root [[1, 1], [1, 1]] / sqrt 2, and the product with
// diag(1, 0) the only eigenvalue 1.
TEST(FrechetDistance, OfSingularCovariancesIsFinite) {
  const auto line = gaussian({0, 0}, {1, 1, 1, 1});
  const auto axis = gaussian({0, 0}, {1, 0, 0, 0});
  EXPECT_NEAR(frechet_distance(line, axis), 2 + 1 - 2 * 1, 1e-12);
}

// [[1, 1], [1, 1]] has the eigenvalues 2 and 0; the third feature never changes.
TEST(ZeroEigenvalues, AreThoseOfDependentAndOfConstantFeatures) {
  EXPECT_EQ(zero_eigenvalue_count(gaussian({0, 0}, {2, 1, 1, 2})), 0);
  EXPECT_EQ(zero_eigenvalue_count(gaussian({0, 0}, {1e-9, 0, 0, 1})), 0);
  EXPECT_EQ(zero_eigenvalue_count(gaussian({0, 0}, {1, 1, 1, 1})), 1);
  EXPECT_EQ(zero_eigenvalue_count(gaussian({0, 0, 5}, {1, 1, 0, 1, 1, 0, 0, 0, 0})), 2);
  EXPECT_EQ(zero_eigenvalue_count(gaussian({3, 3}, {0, 0, 0, 0})), 2);
}

TEST(RankDeficiency, IsReportedIfThereAreNoMoreImagesThanFeatures) {
  Gaussian few = gaussian({0, 0}, {1, 0, 0, 1});
  EXPECT_EQ(rank_deficiency(few), "");
  few.count = 3;
  EXPECT_EQ(rank_deficiency(few), "");
  few.count = 2;
  EXPECT_EQ(rank_deficiency(few),
            "the covariance is not of full rank, so the distance is biased: use more than 2 "
            "images, the number of features; there are 2");
}

}  // namespace
}  // namespace ganscale::metrics
