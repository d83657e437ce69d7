#include "planning/simulation/attempts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/planning/simulation/expected_goodput.h"

namespace ganscale::planning {
namespace {

constexpr double kNever = 1e15;

/// Fails every hour, restarts in a minute, stops for ten seconds for a checkpoint.
constexpr Reliability kHourly = {
    .seconds_between_failures = 3600, .restart_seconds = 60, .pause_seconds = 10};

double goodput(const Reliability& reliability, double interval_seconds) {
  const PlannedRun run = {
      .training_seconds = 3.6e6, .interval_seconds = interval_seconds, .most_failures = 1'000'000};
  return simulate_attempts(run, reliability, 1).goodput();
}

TEST(SimulatedAttempts, WithoutFailuresTakeTheStartTheTrainingAndThePauses) {
  const RunTime time = simulate_attempts({.training_seconds = 100, .interval_seconds = 25},
                                         {.seconds_between_failures = kNever,
                                          .restart_seconds = 1000,
                                          .start_seconds = 30,
                                          .pause_seconds = 2},
                                         1);
  EXPECT_EQ(time.failures, 0);
  EXPECT_NEAR(time.trained, 100, 1e-9);
  EXPECT_NEAR(time.starting, 30, 1e-9);
  EXPECT_NEAR(time.checkpointing, 3 * 2, 1e-9);  // none after the last part
  EXPECT_NEAR(time.goodput(), 100.0 / 136, 1e-9);
}

TEST(SimulatedAttempts, HaveTheGoodputOfDalysFormula) {
  for (const double interval : {60.0, 250.0, 1000.0, 3000.0}) {
    const double expected = expected_goodput(kHourly, interval);
    EXPECT_NEAR(goodput(kHourly, interval), expected, 0.02 * expected) << interval;
  }
}

TEST(SimulatedAttempts, LoseLeastAtTheBestInterval) {
  const double best = best_interval(kHourly);
  const double at_best = goodput(kHourly, best);
  for (const double times : {1.0 / 3, 3.0}) {
    EXPECT_LT(goodput(kHourly, times * best), at_best - 0.01) << times;
  }
}

TEST(SimulatedAttempts, LoseWhatWasNotYetWritten) {
  // Half an interval, and what was trained while the checkpoint was written.
  const Reliability reliability = {
      .seconds_between_failures = 5000, .pause_seconds = 1e-3, .write_seconds = 20};
  const RunTime time = simulate_attempts(
      {.training_seconds = 1e7, .interval_seconds = 100, .most_failures = 1'000'000}, reliability,
      1);
  EXPECT_GT(time.failures, 1500);
  EXPECT_NEAR(time.repeated / time.failures, 50 + 20, 3);
}

TEST(SimulatedAttempts, WaitForTheCheckpointBefore) {
  const RunTime time = simulate_attempts(
      {.training_seconds = 100, .interval_seconds = 10},
      {.seconds_between_failures = kNever, .pause_seconds = 1, .write_seconds = 30}, 1);
  EXPECT_NEAR(time.checkpointing, 1 + 8 * (20 + 1), 1e-9);  // nine; before the first is none
}

TEST(SimulatedAttempts, EndAtTheFailureLimitIfAllWorkIsLost) {
  const RunTime time = simulate_attempts(
      {.training_seconds = 1e6, .interval_seconds = 1e5, .most_failures = 500},
      {.seconds_between_failures = 10, .restart_seconds = 5, .pause_seconds = 1}, 1);
  EXPECT_EQ(time.failures, 500);
  EXPECT_EQ(time.trained, 0);
  EXPECT_NEAR(time.total() / 500, 10, 1.5);
}

TEST(SimulatedAttempts, FailWhileTheyStartToo) {
  // exp(R / M) times as long: Daly's factor.
  const Reliability slow = {
      .seconds_between_failures = 3600, .restart_seconds = 1800, .pause_seconds = 10};
  const double ratio = goodput(slow, 250) / goodput(kHourly, 250);
  EXPECT_NEAR(ratio, std::exp(-1740.0 / 3600), 0.02);
}

TEST(SimulatedAttempts, AreTheSameForTheSameSeed) {
  const PlannedRun run = {.training_seconds = 1e5, .interval_seconds = 250};
  EXPECT_EQ(simulate_attempts(run, kHourly, 3).total(), simulate_attempts(run, kHourly, 3).total());
  EXPECT_NE(simulate_attempts(run, kHourly, 3).total(), simulate_attempts(run, kHourly, 4).total());
}

}  // namespace
}  // namespace ganscale::planning
