#include "data/loader/shard_plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "support/expect_error.h"

namespace ganscale::data {
namespace {

constexpr std::uint64_t kPlanSeed = 1000;

std::vector<std::int64_t> epoch_of(const ShardPlan& plan, std::int64_t epoch) {
  std::vector<std::int64_t> records;
  for (std::int64_t i = 0; i < plan.record_count(); ++i) {
    records.push_back(plan.record_at(epoch * plan.record_count() + i));
  }
  return records;
}

std::vector<std::int64_t> first_numbers(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

class ShardPlanOfSize : public testing::TestWithParam<std::int64_t> {};

TEST_P(ShardPlanOfSize, ReadsEachRecordOnceAnEpoch) {
  const ShardPlan plan(GetParam(), kPlanSeed, /*shuffle=*/true);
  for (const std::int64_t epoch : {0, 1, 77}) {
    auto records = epoch_of(plan, epoch);
    std::sort(records.begin(), records.end());
    EXPECT_EQ(records, first_numbers(GetParam()));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ShardPlanOfSize,
                         testing::Values(1, 2, 3, 4, 5, 7, 15, 16, 17, 99, 100, 101, 1000, 65536,
                                         70001));

TEST(ShardPlan, ReadsEachEpochInAnotherOrder) {
  const ShardPlan plan(1000, kPlanSeed, true);
  EXPECT_NE(epoch_of(plan, 0), epoch_of(plan, 1));
  EXPECT_NE(epoch_of(plan, 0), epoch_of(ShardPlan(1000, kPlanSeed + 1, true), 0));
}

TEST(ShardPlan, WithoutShuffleReadsInOrder) {
  EXPECT_EQ(epoch_of(ShardPlan(1000, kPlanSeed, false), 3), first_numbers(1000));
}

// Of five records each should come first in a fifth of the epochs: 4 degrees of freedom, 1e-6 of
// the statistic lies above 33.
TEST(ShardPlan, GivesEachRecordTheSameChanceToComeFirst) {
  const ShardPlan plan(5, kPlanSeed, true);
  std::vector<int> counts(5);
  for (std::int64_t epoch = 0; epoch < 5000; ++epoch) {
    ++counts[static_cast<std::size_t>(plan.record_at(5 * epoch))];
  }
  double statistic = 0;
  for (const int count : counts) statistic += (count - 1000.0) * (count - 1000.0) / 1000;
  EXPECT_LT(statistic, 33);
}

// In a random order of n records about two neighbors in n differ by one.
TEST(ShardPlan, SeparatesNeighbors) {
  const auto records = epoch_of(ShardPlan(10000, kPlanSeed, true), 0);
  int neighbors = 0;
  for (std::size_t i = 1; i < records.size(); ++i) {
    neighbors += std::abs(records[i] - records[i - 1]) == 1 ? 1 : 0;
  }
  EXPECT_LT(neighbors, 20);
}

TEST(ShardPlan, RefusesAnEmptyDataSet) {
  expect_error(ExitCode::kData, "no records", [] { ShardPlan(0, kPlanSeed, true); });
}

TEST(ShardPlan, MirrorsAboutHalf) {
  const ShardPlan plan(10, kPlanSeed, true);
  int mirrored = 0;
  for (std::int64_t i = 0; i < 10000; ++i) mirrored += plan.mirrored(i) ? 1 : 0;
  EXPECT_NEAR(mirrored, 5000, 250);  // five standard deviations
}

/// The records that a rank reads in its first `count` images, from a cursor on.
std::vector<std::int64_t> records_of_rank(const ShardPlan& plan, const RankShare& share,
                                          std::int64_t count, std::int64_t cursor = 0) {
  std::vector<std::int64_t> records;
  for (std::int64_t j = 0; j < count; ++j) {
    records.push_back(plan.record_at(share.position(cursor, j), share));
  }
  return records;
}

TEST(FixedShards, HoldEveryNthRecordForTheWholeRun) {
  const ShardPlan plan(11, kPlanSeed, /*shuffle=*/true, Sharding::kFixed);
  for (int rank = 0; rank < 3; ++rank) {
    const std::int64_t size = rank < 2 ? 4 : 3;
    for (const std::int64_t epoch : {0, 1, 5}) {
      auto records = records_of_rank(plan, {rank, 3}, size, 3 * epoch * size);
      std::sort(records.begin(), records.end());
      for (std::int64_t i = 0; i < size; ++i) {
        EXPECT_EQ(records[static_cast<std::size_t>(i)], rank + 3 * i) << "epoch " << epoch;
      }
    }
  }
}

TEST(FixedShards, AreInAnotherOrderInEachEpochAndOnEachRank) {
  const ShardPlan plan(400, kPlanSeed, true, Sharding::kFixed);
  const auto first = records_of_rank(plan, {1, 2}, 200);
  EXPECT_NE(first, records_of_rank(plan, {1, 2}, 200, 400));
  auto neighbors = records_of_rank(plan, {0, 2}, 200);
  for (auto& record : neighbors) ++record;
  EXPECT_NE(first, neighbors);
}

TEST(FixedShards, WithoutShuffleAreReadInOrder) {
  const ShardPlan plan(7, kPlanSeed, false, Sharding::kFixed);
  EXPECT_THAT(records_of_rank(plan, {1, 2}, 7), testing::ElementsAre(1, 3, 5, 1, 3, 5, 1));
}

TEST(FixedShards, OfOneRankAreTheShuffledOrder) {
  const ShardPlan fixed(100, kPlanSeed, true, Sharding::kFixed);
  EXPECT_EQ(epoch_of(fixed, 3), epoch_of(ShardPlan(100, kPlanSeed, true), 3));
}

TEST(RankShare, OfAllRanksIsTheSameGlobalBatch) {
  for (const int world_size : {1, 2, 4}) {
    std::vector<std::int64_t> positions;
    for (int rank = 0; rank < world_size; ++rank) {
      const RankShare share{rank, world_size, 8 / world_size};
      EXPECT_EQ(share.global_batch(), 8);
      for (int j = 0; j < share.batch_per_rank; ++j) positions.push_back(share.position(40, j));
    }
    std::sort(positions.begin(), positions.end());
    EXPECT_THAT(positions, testing::ElementsAre(40, 41, 42, 43, 44, 45, 46, 47));
  }
}

}  // namespace
}  // namespace ganscale::data
