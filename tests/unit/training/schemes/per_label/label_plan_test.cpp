#include "training/schemes/per_label/label_plan.h"

#include <numeric>
#include <set>

#include "support/expect_error.h"

namespace ganscale::training {
namespace {

using Plan = std::vector<std::vector<std::int64_t>>;

// 7 and 5 go to ranks 0 and 1; 4 to rank 1 (5 < 7); 3 to rank 0 (7 < 9); 2 to rank 1 (9 < 10).
TEST(PlanLabels, GivesTheLargestFirstToTheRankWithTheLeast) {
  EXPECT_EQ(plan_labels({3, 7, 2, 5, 4}, 2), (Plan{{1, 0}, {3, 4, 2}}));
}

TEST(PlanLabels, OfEqualLabelsGoInTurn) {
  EXPECT_EQ(plan_labels({6, 6, 6, 6, 6}, 2), (Plan{{0, 2, 4}, {1, 3}}));
}

TEST(PlanLabels, LeavesOutLabelsWithoutRecords) {
  EXPECT_EQ(plan_labels({0, 5, 0, 9}, 1), (Plan{{3, 1}}));
}

TEST(PlanLabels, BalancesAThousandLabelsAndDealsEachOnce) {
  std::vector<std::int64_t> records(1000);
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i] = 700 + static_cast<std::int64_t>(i * 37 % 601);
  const auto total = std::accumulate(records.begin(), records.end(), std::int64_t{0});
  const auto plan = plan_labels(records, 16);
  std::set<std::int64_t> dealt;
  for (const auto& queue : plan) {
    std::int64_t load = 0;
    for (const auto label : queue) {
      load += records[static_cast<std::size_t>(label)];
      EXPECT_TRUE(dealt.insert(label).second);
    }
    EXPECT_NEAR(static_cast<double>(load), static_cast<double>(total) / 16, 700);
  }
  EXPECT_EQ(dealt.size(), 1000);
}

TEST(PlanLabels, RefusesMoreRanksThanLabels) {
  expect_error(ExitCode::kConfig, "3 ranks, 2 labels", [] { plan_labels({5, 0, 5}, 3); });
}

TEST(LabelSeed, DiffersByRunLabelAndAttempt) {
  std::set<std::uint64_t> seeds;
  for (const std::uint64_t run : {1000, 1001, 1002}) {
    for (std::int64_t label = 0; label < 100; ++label) {
      for (const int attempt : {1, 2}) seeds.insert(label_seed(run, label, attempt));
    }
  }
  EXPECT_EQ(seeds.size(), 600);
  EXPECT_EQ(label_seed(1000, 3, 1), label_seed(1000, 3, 1));
}

}  // namespace
}  // namespace ganscale::training
