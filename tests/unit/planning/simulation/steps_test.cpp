#include "planning/simulation/steps.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "planning/model/predict.h"

namespace ganscale::planning {
namespace {

constexpr int kRanks = 1024;
constexpr Noise kNone = {};

StepsTaken synchronous(int ranks, const Noise& noise, int steps, std::uint64_t seed = 1) {
  return simulate_steps(std::array{Team{.ranks = ranks, .rank_seconds = 1}}, noise, steps, seed);
}

Roles roles_of(double generator_seconds, double discriminator_seconds, int ranks = 1) {
  return {.generator = {.ranks = ranks, .rank_seconds = generator_seconds},
          .discriminator = {.ranks = ranks, .rank_seconds = discriminator_seconds}};
}

StepsTaken asynchronous(const Roles& roles, int max_staleness, int steps,
                        const Noise& noise = kNone) {
  const Roles stale = with_staleness(roles, max_staleness);
  return simulate_steps(std::array{stale.generator, stale.discriminator}, noise, steps, 1);
}

TEST(SimulatedSteps, OfEqualRanksTakeWhatOneTakes) {
  const Team team = {.ranks = kRanks, .rank_seconds = 0.75, .shared_seconds = 0.25};
  const StepsTaken taken = simulate_steps(std::array{team}, kNone, 50, 1);
  EXPECT_NEAR(taken.seconds, 50, 1e-9);
  EXPECT_NEAR(taken.busy_share, 0.75, 1e-9);
}

TEST(SimulatedSteps, TakeTheMeanOfTheLargestOfSoManyNormalTimes) {
  const StepsTaken taken = synchronous(kRanks, {.jitter = 0.05}, 400);
  const double slower = 1 + 0.05 * mean_largest_normal(kRanks);  // 1.16
  EXPECT_NEAR(taken.seconds / 400, slower, 0.002);
  EXPECT_NEAR(taken.busy_share, 1 / slower, 0.002);
}

TEST(SimulatedSteps, AreAsSlowAsTheSlowestDevice) {
  double sum = 0;
  for (int seed = 0; seed < 200; ++seed) {
    sum += synchronous(64, {.spread = 0.05}, 2, static_cast<std::uint64_t>(seed)).seconds / 2;
  }
  EXPECT_NEAR(sum / 200, 1 + 0.05 * mean_largest_normal(64), 0.005);
}

TEST(SimulatedSteps, WaitForARankThatPauses) {
  // 1,024 ranks with 7.2 pauses an hour: one of them pauses in 87% of steps of a second.
  const StepsTaken taken = synchronous(kRanks, {.pauses_per_hour = 7.2, .pause_seconds = 3}, 2000);
  EXPECT_NEAR(taken.seconds / 2000, 1 + 3 * (1 - std::pow(1 - 0.002, kRanks)), 0.06);
}

TEST(SimulatedSteps, OfRanksThatTrainAloneEndWithTheSlowest) {
  const std::vector<Team> teams(kRanks, Team{.ranks = 1, .rank_seconds = 1});
  const StepsTaken taken = simulate_steps(teams, {.jitter = 0.1}, 100, 1);
  EXPECT_NEAR(taken.mean_seconds / 100, 1, 0.002);
  EXPECT_NEAR(taken.seconds / 100, 1 + 0.1 / 10 * mean_largest_normal(kRanks), 0.01);
}

TEST(SimulatedSteps, OfRolesWithoutStalenessTakeTheSumOfBoth) {
  const StepsTaken taken = asynchronous(roles_of(1, 3), 0, 64);
  EXPECT_NEAR(taken.seconds, 64 * 4, 1e-9);
  EXPECT_NEAR(taken.busy_share, 0.5, 1e-9);
}

TEST(SimulatedSteps, OfRolesAreAtMostAsFastAsTheSlower) {
  // G's first step and that after each meeting are the only ones that D waits for.
  EXPECT_NEAR(asynchronous(roles_of(1, 3), 2, 64).seconds, 64 * 3 + 4, 1e-9);
  EXPECT_NEAR(asynchronous(roles_of(3, 1), 2, 64).seconds, 64 * 3 + 4, 1e-9);
}

TEST(SimulatedSteps, OfEqualRolesTakeSeventeenForSixteen) {
  // docs/paragan.md: that is what the meetings cost.
  EXPECT_NEAR(asynchronous(roles_of(1, 1), 1, 64).seconds, 64 / 16 * 17, 1e-9);
}

TEST(SimulatedSteps, OfRolesAreFasterTheStalerTheyMayBe) {
  const Noise noise = {.jitter = 0.2};
  const auto seconds = [&](int staleness) {
    return asynchronous(roles_of(1, 1, 8), staleness, 3200, noise).seconds;
  };
  EXPECT_LT(seconds(1), 0.7 * seconds(0));
  EXPECT_LT(seconds(2), seconds(1));
  EXPECT_LE(seconds(4), seconds(2));
  EXPECT_GT(seconds(4), synchronous(8, noise, 3200).seconds);  // which is either role alone
}

TEST(SimulatedSteps, AreTheSameForTheSameSeed) {
  const Noise noise = {.jitter = 0.1, .spread = 0.1};
  EXPECT_EQ(synchronous(16, noise, 10, 7).seconds, synchronous(16, noise, 10, 7).seconds);
  EXPECT_NE(synchronous(16, noise, 10, 7).seconds, synchronous(16, noise, 10, 8).seconds);
}

}  // namespace
}  // namespace ganscale::planning
