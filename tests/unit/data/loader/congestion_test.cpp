#include <gtest/gtest.h>

#include <algorithm>

#include "unit/data/loader/simulated_loader.h"

namespace ganscale::data {
namespace {

constexpr double kSeconds = 60;
constexpr PrefetchLimits kBaseline{2, 3};
constexpr PrefetchRange kFixed{kBaseline, 2, kBaseline};
constexpr PrefetchRange kAware{kBaseline, 2, {40, 12}};

/// Two threads read 400 records/s where the training takes 16 every 50 ms: 320.
SimulatedLoader::Options with(const PrefetchRange& range, double congested_share) {
  return {.range = range,
          .throttle = {.latency = 0.0045,
                       .jitter = 0.001,
                       .period = 20,
                       .congested_share = congested_share},
          .step_seconds = 0.05};
}

SimulatedLoader run(const SimulatedLoader::Options& options) {
  SimulatedLoader loader(options);
  loader.run(kSeconds);
  return loader;
}

/// Returns the batches a second in the congested parts, or in the whole run.
double rate(const SimulatedLoader& loader) {
  return static_cast<double>(loader.deliveries().size()) / kSeconds;
}
double congested_rate(const SimulatedLoader& loader, const Throttle& throttle) {
  const auto count = std::ranges::count_if(
      loader.deliveries(), [&](double time) { return is_congested(throttle, time); });
  return static_cast<double>(count) / (kSeconds * throttle.congested_share);
}

TEST(Congestion, CostsALoaderOfFixedThreadsMostOfItsRate) {
  const auto options = with(kFixed, 0.3);
  const double uncongested = rate(run(with(kFixed, 0)));
  EXPECT_NEAR(uncongested, 20, 0.2);
  EXPECT_LT(congested_rate(run(options), options.throttle), 0.4 * uncongested);
}

TEST(Congestion, CostsAnAwareLoaderLittle) {
  const auto options = with(kAware, 0.3);
  const double uncongested = rate(run(with(kAware, 0)));
  const SimulatedLoader loader = run(options);
  EXPECT_GE(congested_rate(loader, options.throttle), 0.8 * uncongested);
  EXPECT_GE(rate(loader), 0.9 * uncongested);
}

// Training that only waits takes what two threads read: the rate that a congestion must not lower.
TEST(Congestion, CostsLittleIfTrainingWaitsForEachBatch) {
  auto options = with(kAware, 0.3);
  options.step_seconds = 0;
  auto calm = options;
  calm.throttle.congested_share = 0;
  const SimulatedLoader loader = run(options);
  EXPECT_GE(congested_rate(loader, options.throttle), 0.8 * rate(run(calm)));
}

TEST(Congestion, OfATenthOfTheReadsCostsLittle) {
  auto options = with(kAware, 0.3);
  options.throttle.congested_reads = 0.1;
  const SimulatedLoader loader = run(options);
  EXPECT_GE(congested_rate(loader, options.throttle), 0.8 * rate(run(with(kAware, 0))));
}

TEST(Congestion, LeavesTheThreadsWhereTheyWereWithinTenWindows) {
  const auto options = with(kAware, 0.3);
  const SimulatedLoader loader = run(options);
  int intervals = 0;  // two are a window
  int longest = 0;
  for (const auto& row : loader.rows()) {
    EXPECT_LE(row.state.limits.threads, 40);
    EXPECT_LE(row.state.limits.depth, 12);
    const bool is_calm = !is_congested(options.throttle, row.time);
    const bool is_back = row.state.limits.threads == kBaseline.threads;
    intervals = is_calm && !is_back ? intervals + 1 : 0;
    longest = std::max(longest, intervals);
  }
  EXPECT_GT(longest, 0);
  EXPECT_LE(longest, 20);
  EXPECT_EQ(loader.rows().back().state.congestions, 3);
}

TEST(Congestion, MakesTheThreadsRiseOnceAndFallOnce) {
  const SimulatedLoader loader = run(with(kAware, 0.3));
  int threads = kBaseline.threads;
  bool falls = true;
  int turns = 0;
  for (const auto& row : loader.rows()) {
    const int next = row.state.limits.threads;
    if (next != threads) {
      turns += falls == (next > threads) ? 1 : 0;
      falls = next < threads;
    }
    threads = next;
  }
  EXPECT_LE(turns, 2 * 3) << "three congestions";
  EXPECT_GE(turns, 2 * 3 - 1) << "the last one ends with the run";
}

TEST(Congestion, IsNotSeenInJitter) {
  auto options = with(kAware, 0);
  options.throttle.jitter = 0.004;  // tails up to 8.5 ms
  const SimulatedLoader loader = run(options);
  for (const auto& row : loader.rows()) {
    EXPECT_EQ(row.state.congestions, 0);
    EXPECT_EQ(row.state.limits.threads, kBaseline.threads);
  }
}

// One read in five hundred stalls for a second: all batches behind it wait.
TEST(Congestion, OfSingleReadsIsBridgedByDepth) {
  auto options = with(kAware, 0);
  options.throttle.stall = 1;
  options.throttle.stall_probability = 0.002;
  auto fixed = options;
  fixed.range = kFixed;
  const SimulatedLoader loader = run(options);
  EXPECT_GT(rate(loader), 1.1 * rate(run(fixed)));
  EXPECT_TRUE(std::ranges::any_of(
      loader.rows(), [](const auto& row) { return row.state.limits.depth > kBaseline.depth; }));
}

}  // namespace
}  // namespace ganscale::data
