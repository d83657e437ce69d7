#include "metrics/distances/precision_recall.h"

#include <ATen/ATen.h>

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"

namespace ganscale::metrics {
namespace {

at::Tensor on_a_line(std::vector<float> places) { return at::tensor(places).view({-1, 1}); }

// k = 1. Reals 0, 1, 3: radii 1, 1, 2. Fakes 2, 10, 11: radii 8, 1, 1.
// Fake 2 lies in the balls of 1 and 3; 10 and 11 in none. Reals 0, 1, 3 all lie in 2's ball.
const FeatureSets kLine{on_a_line({0, 1, 3}), on_a_line({2, 10, 11}), 1};

TEST(PrecisionRecall, CountsImagesInTheOthersBalls) {
  const auto group = comm::make_single_group();
  const auto result = precision_recall(kLine, *group);
  EXPECT_DOUBLE_EQ(result.precision, 1.0 / 3);
  EXPECT_DOUBLE_EQ(result.recall, 1);
}

TEST(DensityCoverage, CountsBallsWithFakesInThem) {
  const auto group = comm::make_single_group();
  const auto result = density_coverage(kLine, *group);
  EXPECT_DOUBLE_EQ(result.density, 2.0 / (1 * 3));
  EXPECT_DOUBLE_EQ(result.coverage, 2.0 / 3);
}

TEST(PrecisionRecall, OfASetAndItselfIsOne) {
  at::manual_seed(4);
  const auto features = at::randn({40, 3});
  const auto group = comm::make_single_group();
  const auto result = precision_recall({features, features, 3}, *group);
  EXPECT_DOUBLE_EQ(result.precision, 1);
  EXPECT_DOUBLE_EQ(result.recall, 1);
}

// More than 1024 rows are cut into several blocks, which ranks share out.
TEST(PrecisionRecall, DoesNotDependOnTheNumberOfRanks) {
  at::manual_seed(5);
  const FeatureSets sets{at::randn({2100, 3}), at::randn({1500, 3}).mul(1.5), 3};
  const auto alone = comm::make_single_group();
  const auto expected = precision_recall(sets, *alone);
  const auto expected_density = density_coverage(sets, *alone);
  EXPECT_GT(expected.precision, 0.5);
  EXPECT_LT(expected.precision, 1);
  for (const int ranks : {2, 4}) {
    comm::run_ranks(ranks, [&](comm::Group& group) {
      const auto result = precision_recall(sets, group);
      EXPECT_DOUBLE_EQ(result.precision, expected.precision);
      EXPECT_DOUBLE_EQ(result.recall, expected.recall);
      const auto density = density_coverage(sets, group);
      EXPECT_DOUBLE_EQ(density.density, expected_density.density);
      EXPECT_DOUBLE_EQ(density.coverage, expected_density.coverage);
    });
  }
}

TEST(PrecisionRecall, RefusesFewerImagesThanNeighbors) {
  const auto group = comm::make_single_group();
  expect_error(ExitCode::kData, "more than k images: k = 3, images 3",
               [&] { precision_recall({at::ones({3, 2}), at::ones({9, 2}), 3}, *group); });
}

}  // namespace
}  // namespace ganscale::metrics
