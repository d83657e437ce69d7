#include "data/loader/prefetch_depth.h"

#include <gtest/gtest.h>

#include <vector>

namespace ganscale::data {
namespace {

constexpr PrefetchLimits kLeast{1, 2};
constexpr PrefetchLimits kMost{16, 10};

/// A second in which 100 records in batches of 10 were delivered.
PrefetchWindow second_of(const std::vector<float>& latencies) {
  return {latencies, 1.0, 0.0, 100, 10};
}

// 100 records/s of 12 ms each keep 1.2 threads busy; with half as many to spare, 1.8.
TEST(PrefetchDepth, KeepsWhatLittlesLawAsksFor) {
  const std::vector<float> latencies(40, 0.012F);
  EXPECT_EQ(prefetch_depth(second_of(latencies), {2, 2}, kLeast, kMost), (PrefetchLimits{2, 2}));
}

// The newest quarter takes 80 ms: 8 threads busy, 12 with the spare ones. The slowest record of
// 84 ms lasts for 8.4 records: one batch more than the one that is read.
TEST(PrefetchDepth, AddsThreadsAtOnceWhenLatencyRises) {
  std::vector<float> latencies(30, 0.010F);
  latencies.insert(latencies.end(), 9, 0.0795F);
  latencies.push_back(0.084F);
  EXPECT_EQ(prefetch_depth(second_of(latencies), {2, 2}, kLeast, kMost), (PrefetchLimits{12, 2}));
}

TEST(PrefetchDepth, HoldsEnoughBatchesForTheSlowestRecord) {
  std::vector<float> latencies(40, 0.001F);
  latencies[3] = 0.45F;  // 45 records at this rate: 4.5 batches, and the one that is read
  EXPECT_EQ(prefetch_depth(second_of(latencies), {2, 2}, kLeast, kMost).depth, 6);
}

TEST(PrefetchDepth, AddsHalfTheThreadsAndABatchInAStall) {
  const std::vector<float> latencies(40, 0.001F);
  auto window = second_of(latencies);
  window.stall_seconds = 0.03;
  EXPECT_EQ(prefetch_depth(window, {4, 3}, kLeast, kMost), (PrefetchLimits{6, 4}));
  EXPECT_EQ(prefetch_depth(window, {1, 3}, kLeast, kMost), (PrefetchLimits{2, 4}));
}

TEST(PrefetchDepth, IgnoresAStallOfAHundredth) {
  const std::vector<float> latencies(40, 0.001F);
  auto window = second_of(latencies);
  window.stall_seconds = 0.01;
  EXPECT_EQ(prefetch_depth(window, {1, 2}, kLeast, kMost), (PrefetchLimits{1, 2}));
}

TEST(PrefetchDepth, GivesBackOneAtATime) {
  const std::vector<float> latencies(40, 0.001F);
  EXPECT_EQ(prefetch_depth(second_of(latencies), {8, 7}, kLeast, kMost), (PrefetchLimits{7, 6}));
}

TEST(PrefetchDepth, StaysWithinItsLimits) {
  const std::vector<float> slow(40, 1e9F);
  EXPECT_EQ(prefetch_depth(second_of(slow), {4, 4}, kLeast, kMost), kMost);
  const std::vector<float> fast(40, 1e-6F);
  EXPECT_EQ(prefetch_depth(second_of(fast), {1, 2}, kLeast, kMost), kLeast);
}

TEST(PrefetchDepth, ChangesNothingBeforeItHasSeenAnything) {
  EXPECT_EQ(prefetch_depth(second_of({}), {3, 4}, kLeast, kMost), (PrefetchLimits{3, 4}));
}

}  // namespace
}  // namespace ganscale::data
