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

/// Ranks whose steps all take as long.
Team steady(int ranks, double rank_seconds) {
  return {.ranks = ranks, .steps = {Load{.rank_seconds = rank_seconds}}};
}

StepsTaken synchronous(int ranks, const Noise& noise, int steps, std::uint64_t seed = 1) {
  return simulate_steps(std::array{steady(ranks, 1)}, noise, steps, seed);
}

Roles roles_of(double generator_seconds, double discriminator_seconds, int ranks = 1) {
  return {.generator = steady(ranks, generator_seconds),
          .discriminator = steady(ranks, discriminator_seconds)};
}

StepsTaken asynchronous(const Roles& roles, int max_staleness, int steps,
                        const Noise& noise = kNone) {
  const Roles stale = with_staleness(roles, max_staleness);
  return simulate_steps(std::array{stale.generator, stale.discriminator}, noise, steps, 1);
}

TEST(SimulatedSteps, OfEqualRanksTakeWhatOneTakes) {
  const Team team = {.ranks = kRanks,
                     .steps = {Load{.rank_seconds = 0.75, .shared_seconds = 0.25}}};
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
  const std::vector<Team> teams(kRanks, steady(1, 1));
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

/// G takes 0.2 s to make the fakes of a step and 0.8 s, on average, to train in every `every`-th
/// step, the last of them. The discriminator, which takes 1 s, comes first.
Roles with_openings(int every) {
  Roles roles = roles_of(0, 1);
  roles.generator.openings = {Load{.rank_seconds = 0.2}};
  roles.generator.steps.assign(static_cast<std::size_t>(every), Load{});
  roles.generator.steps.back().rank_seconds = 0.8 * every;
  return roles;
}

TEST(SimulatedSteps, BeginWithTheFakesIfTheDiscriminatorComesFirst) {
  // Without staleness, G trains after D. Else D only waits for the fakes after each meeting.
  EXPECT_NEAR(asynchronous(with_openings(1), 0, 64).seconds, 64 * 2, 1e-9);
  EXPECT_NEAR(asynchronous(with_openings(1), 1, 64).seconds, 64 + 4 * 0.2, 1e-9);
}

TEST(SimulatedSteps, NeedMoreStalenessIfTheGeneratorTrainsInFew) {
  // G trains for 1.6 s, and only then makes the next fakes. With staleness 1, it does so during one
  // of D's steps, and two steps take 0.2 + 1 + 1.6; with 2, during both.
  EXPECT_NEAR(asynchronous(with_openings(2), 0, 64).seconds, 64 * 2, 1e-9);
  EXPECT_NEAR(asynchronous(with_openings(2), 1, 64).seconds, 32 * 2.8, 1e-9);
  EXPECT_NEAR(asynchronous(with_openings(2), 2, 64).seconds, 64 + 4 * 0.2, 1e-9);
  // For 3.2 s, during one, two or all of four steps.
  EXPECT_NEAR(asynchronous(with_openings(4), 1, 64).seconds / 64, 1.6, 1e-9);
  EXPECT_NEAR(asynchronous(with_openings(4), 2, 64).seconds / 64, 1.35, 1e-9);
  EXPECT_NEAR(asynchronous(with_openings(4), 4, 64).seconds, 64 + 4 * 0.2, 1e-9);
}

TEST(SimulatedSteps, NeedMoreStalenessIfOneOfThemIsLong) {
  // D takes 2.5 s for each 16th step, 0.9 s for the others, 16 s in all. After each meeting it
  // waits 1 s for G. During the long step, G runs ahead by the staleness at most, and then D, which
  // is faster now, waits for G again: for 2.4, 1.4 and 1 s in all.
  Roles roles = roles_of(1, 0);
  roles.discriminator.steps.assign(16, Load{.rank_seconds = 0.9});
  roles.discriminator.steps[0].rank_seconds = 2.5;
  EXPECT_NEAR(asynchronous(roles, 1, 64).seconds / 64, 1.15, 1e-9);
  EXPECT_NEAR(asynchronous(roles, 2, 64).seconds / 64, 1.0875, 1e-9);
  EXPECT_NEAR(asynchronous(roles, 4, 64).seconds / 64, 1.0625, 1e-9);
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
