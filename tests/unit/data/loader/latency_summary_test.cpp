#include "data/loader/latency_summary.h"

#include <gtest/gtest.h>

#include <vector>

namespace ganscale::data {
namespace {

TEST(LatencySummary, OfNoReadsIsZero) {
  const LatencySummary summary = summarize({});
  EXPECT_EQ(summary.mean, 0);
  EXPECT_EQ(summary.tail, 0);
}

TEST(LatencySummary, OfOneReadIsThatRead) {
  const std::vector<float> one{0.25F};
  const LatencySummary summary = summarize(one);
  EXPECT_EQ(summary.mean, 0.25);
  EXPECT_EQ(summary.median, 0.25);
  EXPECT_EQ(summary.tail, 0.25);
  EXPECT_EQ(summary.slowest, 0.25);
}

// Of 1 to 100 the 50th is the median, the 95th the tail; the falling order makes the mean that of all.
TEST(LatencySummary, TakesQuantilesByNearestRankInAnyOrder) {
  std::vector<float> latencies;
  for (int i = 100; i >= 1; --i) latencies.push_back(static_cast<float>(i));
  const LatencySummary summary = summarize(latencies);
  EXPECT_EQ(summary.mean, 50.5);
  EXPECT_EQ(summary.median, 50);
  EXPECT_EQ(summary.tail, 95);
  EXPECT_EQ(summary.slowest, 100);
}

TEST(LatencySummary, TakesTheMeanOfTheLatestQuarterWhereItIsHigher) {
  const std::vector<float> latencies{1, 1, 1, 1, 1, 1, 4, 6};
  EXPECT_EQ(summarize(latencies).mean, 5);
}

}  // namespace
}  // namespace ganscale::data
