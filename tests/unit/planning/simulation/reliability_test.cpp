#include "planning/simulation/reliability.h"

#include <gtest/gtest.h>

#include "unit/planning/simulation/expected_goodput.h"

namespace ganscale::planning {
namespace {

TEST(BestInterval, IsYoungsForShortPauses) {
  // sqrt(2 * 1 * 1e6) = 1414.2; Daly's next terms are a third of a second less the pause.
  EXPECT_NEAR(best_interval({.seconds_between_failures = 1e6, .pause_seconds = 1}),
              1414.21 + 1.0 / 3 - 1, 0.01);
}

TEST(BestInterval, IsWhereDalysGoodputIsHighest) {
  const Reliability reliability = {.seconds_between_failures = 3600, .pause_seconds = 100};
  const double best = best_interval(reliability);
  const double at_best = expected_goodput(reliability, best);
  EXPECT_LT(expected_goodput(reliability, 0.95 * best), at_best);
  EXPECT_LT(expected_goodput(reliability, 1.05 * best), at_best);
}

TEST(BestInterval, IsTheTimeBetweenFailuresIfPausesAreLonger) {
  EXPECT_EQ(best_interval({.seconds_between_failures = 10, .pause_seconds = 20}), 10);
}

TEST(ExpectedGoodput, LosesPausesAndHalfAnIntervalEachFailure) {
  // Where failures are rare: C / tau and tau / 2M and R / M.
  const Reliability reliability = {
      .seconds_between_failures = 1e5, .restart_seconds = 100, .pause_seconds = 1};
  EXPECT_NEAR(expected_goodput(reliability, 400), 1 - 1.0 / 400 - 400 / 2e5 - 100 / 1e5, 5e-5);
}

}  // namespace
}  // namespace ganscale::planning
