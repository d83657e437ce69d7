#include "data/loader/prefetch_control.h"

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

// Of 1 to 100 the 50th is the median, the 95th the tail; in falling order the mean is the mean
// of all.
TEST(LatencySummary, TakesQuantilesByNearestRankInAnyOrder) {
  std::vector<float> latencies;
  for (int i = 100; i >= 1; --i) latencies.push_back(static_cast<float>(i));
  const LatencySummary summary = summarize(latencies);
  EXPECT_EQ(summary.mean, 50.5);
  EXPECT_EQ(summary.median, 50);
  EXPECT_EQ(summary.tail, 95);
  EXPECT_EQ(summary.slowest, 100);
}

TEST(LatencySummary, TakesTheMeanOfTheLatestQuarterIfItIsHigher) {
  const std::vector<float> latencies{1, 1, 1, 1, 1, 1, 4, 6};
  EXPECT_EQ(summarize(latencies).mean, 5);
}

constexpr PrefetchRange kControlRange{{1, 2}, 16, {64, 20}};

/// A second of calm: 100 records of 10 ms in batches of 10, no waiting.
PrefetchWindow calm_window() {
  return {.read_count = 100,
          .reads = {.mean = 0.010, .median = 0.010, .tail = 0.012, .slowest = 0.012},
          .elapsed = 1,
          .busy_threads = 1,
          .records_delivered = 100,
          .records_per_batch = 10};
}

/// The same with reads that are so many times as slow, and half the rate.
PrefetchWindow slow_window(double factor) {
  PrefetchWindow window = calm_window();
  window.reads = {.mean = 0.010 * factor,
                  .median = 0.010 * factor,
                  .tail = 0.012 * factor,
                  .slowest = 0.012 * factor};
  window.stalled = 0.5;
  window.records_delivered = 50;
  return window;
}

PrefetchState at_start() { return {.limits = kControlRange.least, .calm = kControlRange.least}; }

PrefetchState after(PrefetchState state, const PrefetchWindow& window, int count = 1) {
  for (int i = 0; i < count; ++i) state = next_state(state, window, kControlRange);
  return state;
}

PrefetchState in_congestion() {
  return after(after(at_start(), calm_window(), 4), slow_window(20));
}

TEST(PrefetchControl, ChangesNothingBeforeItHasSeenAnything) {
  EXPECT_EQ(after(at_start(), PrefetchWindow{}), at_start());
}

// One busy thread and half of one to spare: two. The slowest read of 12 ms delays 1.2 records, a
// part of a batch, behind the one that is read: two.
TEST(PrefetchControl, KeepsTheThreadsThatAreBusyAndHalfOfThat) {
  const PrefetchState state = after(at_start(), calm_window());
  EXPECT_EQ(state.limits, (PrefetchLimits{2, 2}));
  EXPECT_EQ(state.calm, state.limits);
}

// Needing as much as before is not needing less: after any number of such windows, the first with
// less changes nothing.
TEST(PrefetchControl, IsIdleOnlyWhileItNeedsLess) {
  PrefetchWindow less = calm_window();
  less.busy_threads = 0.1;
  for (int windows = 1; windows <= 9; ++windows) {
    EXPECT_EQ(after(after(at_start(), calm_window(), windows), less).calm, (PrefetchLimits{2, 2}))
        << windows;
  }
}

TEST(PrefetchControl, HoldsEnoughBatchesForTheSlowestRead) {
  PrefetchWindow window = calm_window();
  window.reads.slowest = 0.45;  // 45 records at this rate: 4.5 batches, and the one that is read
  EXPECT_EQ(after(at_start(), window).limits.depth, 6);
}

TEST(PrefetchControl, AddsHalfTheThreadsAndABatchIfTrainingWaits) {
  PrefetchWindow window = calm_window();
  window.stalled = 0.03;
  PrefetchState state = at_start();
  state.limits = state.calm = {4, 3};
  EXPECT_EQ(after(state, window).limits, (PrefetchLimits{6, 4}));
  window.stalled = 0.01;
  EXPECT_EQ(after(state, window).limits, (PrefetchLimits{4, 3})) << "a hundredth is not a stall";
}

TEST(PrefetchControl, AddsNoThreadsBeyondTheCalmNumberWithoutCongestion) {
  PrefetchWindow window = calm_window();
  window.stalled = 1;
  EXPECT_EQ(after(at_start(), window, 50).limits, (PrefetchLimits{16, 20}));
}

TEST(PrefetchControl, GivesIdleThreadsBackAfterEightWindows) {
  PrefetchState state = at_start();
  state.limits = state.calm = {10, 6};
  EXPECT_EQ(after(state, calm_window(), 7).calm, (PrefetchLimits{10, 6}));
  EXPECT_EQ(after(state, calm_window(), 8).calm, (PrefetchLimits{6, 4}));
}

// The mean is 190 ms too much, at 100 records/s that is 19 threads and half of that: 28.5 and
// two. The slowest read of 240 ms delays 24 records, the added threads 28.5: three batches.
TEST(PrefetchControl, AddsByLittlesLawAtOnceWhenTheTailLeavesItsBaseline) {
  const PrefetchState state = in_congestion();
  EXPECT_TRUE(state.congested);
  EXPECT_EQ(state.congestions, 1);
  EXPECT_EQ(state.limits, (PrefetchLimits{31, 5}));
  EXPECT_EQ(state.calm, (PrefetchLimits{2, 2}));
}

TEST(PrefetchControl, DetectsNoCongestionBelowThreeTimesTheTail) {
  EXPECT_FALSE(after(after(at_start(), calm_window(), 4), slow_window(2.9)).congested);
  EXPECT_TRUE(after(after(at_start(), calm_window(), 4), slow_window(3.1)).congested);
}

TEST(PrefetchControl, DetectsNoCongestionInTailsBelowAMillisecond) {
  PrefetchWindow window = calm_window();
  window.reads = {.mean = 1e-5, .median = 1e-5, .tail = 2e-5, .slowest = 1e-4};
  const PrefetchState calm = after(at_start(), window);
  window.reads.tail = 0.9e-3;
  EXPECT_FALSE(after(calm, window).congested);
}

TEST(PrefetchControl, KeepsItsBaselineOfCalmStorageDuringCongestion) {
  const PrefetchState calm = after(at_start(), calm_window(), 4);
  const PrefetchState state = after(calm, slow_window(20), 1000);
  EXPECT_EQ(state.calm_tail, calm.calm_tail);
  EXPECT_EQ(state.calm_mean, calm.calm_mean);
  EXPECT_EQ(state.records_per_second, calm.records_per_second);
  EXPECT_EQ(state.congestions, 1);
}

TEST(PrefetchControl, GivesNoThreadsBackDuringCongestion) {
  EXPECT_EQ(after(in_congestion(), slow_window(5), 100).limits, in_congestion().limits);
}

// 29 threads too many: 9, 3, 1, none; three batches: one, none.
TEST(PrefetchControl, GivesTwoThirdsBackInEachWindowAfterThreeQuietOnes) {
  PrefetchState state = after(in_congestion(), calm_window(), 2);
  EXPECT_TRUE(state.congested);
  EXPECT_EQ(state.limits, in_congestion().limits);
  for (const PrefetchLimits expected :
       {PrefetchLimits{11, 3}, PrefetchLimits{5, 2}, PrefetchLimits{3, 2}, PrefetchLimits{2, 2}}) {
    state = after(state, calm_window());
    EXPECT_FALSE(state.congested);
    EXPECT_EQ(state.limits, expected);
  }
}

TEST(PrefetchControl, RestartsTheCountOfQuietWindowsWhenTheTailReturns) {
  PrefetchState state = after(in_congestion(), calm_window(), 2);
  state = after(after(state, slow_window(20)), calm_window(), 2);
  EXPECT_TRUE(state.congested);
  EXPECT_EQ(state.congestions, 1);
  EXPECT_EQ(state.limits, in_congestion().limits);
}

// Between 1.5 and 3 times the tail nothing begins and nothing ends.
TEST(PrefetchControl, DoesNotOscillateBetweenItsThresholds) {
  const PrefetchState calm = after(at_start(), calm_window(), 4);
  EXPECT_FALSE(after(calm, slow_window(2), 3).congested);
  EXPECT_TRUE(after(in_congestion(), slow_window(2), 100).congested);
}

TEST(PrefetchControl, LearnsAFallOfTheTailSoonAndARiseSlowly) {
  const PrefetchState calm = after(at_start(), calm_window(), 4);
  PrefetchWindow window = calm_window();
  window.reads.tail = 0.006;
  EXPECT_NEAR(after(calm, window).calm_tail, 0.0105, 1e-12);
  window.reads.tail = 0.018;
  EXPECT_NEAR(after(calm, window).calm_tail, 0.012 + 0.006 / 64, 1e-12);
}

TEST(PrefetchControl, StaysWithinItsRange) {
  EXPECT_EQ(after(after(at_start(), calm_window(), 4), slow_window(1e9)).limits,
            kControlRange.most);
  PrefetchWindow fast = calm_window();
  fast.reads = {};
  fast.busy_threads = 0;
  EXPECT_EQ(after(at_start(), fast, 100).limits, kControlRange.least);
}

TEST(PrefetchControl, OfAFixedRangeOnlyMeasures) {
  constexpr PrefetchRange kFixed{{3, 4}, 3, {3, 4}};
  PrefetchState state{.limits = kFixed.least, .calm = kFixed.least};
  for (int i = 0; i < 4; ++i) state = next_state(state, calm_window(), kFixed);
  for (int i = 0; i < 4; ++i) state = next_state(state, slow_window(20), kFixed);
  EXPECT_TRUE(state.congested);
  EXPECT_EQ(state.limits, kFixed.least);
}

}  // namespace

}  // namespace ganscale::data
