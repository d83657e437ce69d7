#include "losses/loss_config.h"

#include "support/expect_error.h"

namespace ganscale::losses {
namespace {

config::Section section(const std::string& yaml) {
  return config::Section(config::parse_yaml(yaml, "run.yaml"));
}

PenaltyOptions penalties(const std::string& yaml) {
  auto in = section(yaml);
  return read_penalties(in);
}

PathLengthOptions path_length(const std::string& yaml) {
  auto in = section(yaml);
  return read_path_length(in);
}

LossConfig loss(const std::string& yaml) { return parse_loss(section(yaml)); }

TEST(ParseLoss, HasThePapersDefaultsForEachName) {
  EXPECT_EQ(loss("{}").critic_steps, 1);
  EXPECT_EQ(loss("{}").gradient_penalty, 0);
  const auto c = loss("{name: wasserstein}");
  EXPECT_EQ(c.kind, Adversarial::kWasserstein);
  EXPECT_EQ(c.critic_steps, 5);
  EXPECT_EQ(c.gradient_penalty, 10);
  const auto clipped = loss("{name: wasserstein, weight_clip: 0.01}");
  EXPECT_EQ(clipped.gradient_penalty, 0);
  EXPECT_EQ(clipped.weight_clip, 0.01);
}

TEST(ParseLoss, RefusesImpossibleValues) {
  expect_error(ExitCode::kConfig, "critic_steps: must be positive",
               [] { loss("{critic_steps: 0}"); });
  expect_error(ExitCode::kConfig, "weight_clip: must not be negative",
               [] { loss("{weight_clip: -1}"); });
}

TEST(ParseLoss, RefusesMoreStepsThanAnyRunHas) {
  EXPECT_EQ(loss("{critic_steps: 1000000000}").critic_steps, 1'000'000'000);
  expect_error(ExitCode::kConfig,
               "run.yaml:1: critic_steps: must be at most 1000000000: 1000000001",
               [] { loss("{critic_steps: 1000000001}"); });
}

TEST(ReadPenalties, IsOffByDefault) {
  EXPECT_EQ(penalties("{}").r1_gamma, 0);
  EXPECT_EQ(penalties("{}").interval, 0);
}

TEST(ReadPenalties, IsLazyInSixteenSteps) {
  EXPECT_EQ(penalties("r1_gamma: 10").r1_gamma, 10);
  EXPECT_EQ(penalties("r1_gamma: 10").interval, 16);
  EXPECT_EQ(penalties("{r1_gamma: 10, r1_interval: 1}").interval, 1);
}

// The rates of a preset are rescaled by its interval, whether or not the weight is 0.
TEST(ReadPenalties, MayHaveAnIntervalWithoutAWeight) {
  EXPECT_EQ(penalties("r1_interval: 16").interval, 16);
}

TEST(ReadPenalties, RefusesImpossibleValues) {
  expect_error(ExitCode::kConfig, "run.yaml:1: r1_gamma: must not be negative",
               [] { penalties("r1_gamma: -1"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: r1_interval: must be positive",
               [] { penalties("{r1_gamma: 1, r1_interval: 0}"); });
}

// The learning rate is rescaled by interval / (interval + 1), also without a weight.
TEST(ReadPenalties, RefusesAnIntervalLongerThanAnyRun) {
  EXPECT_EQ(penalties("r1_interval: 1000000000").interval, 1'000'000'000);
  for (const std::string gamma : {"0", "1"}) {
    expect_error(ExitCode::kConfig,
                 "run.yaml:1: r1_interval: must be at most 1000000000: 9223372036854775807",
                 [&] { penalties("{r1_gamma: " + gamma + ", r1_interval: 9223372036854775807}"); });
  }
}

TEST(ReadPenalties, TakesBothInTheMainPhaseWithoutAnInterval) {
  const auto both = penalties("{r1_gamma: 2, r2_gamma: 3, penalty_phase: main}");
  EXPECT_EQ(both.r1_gamma, 2);
  EXPECT_EQ(both.r2_gamma, 3);
  EXPECT_EQ(both.phase, PenaltyPhase::kMain);
  EXPECT_EQ(both.interval, 0);
  EXPECT_EQ(penalties("r2_gamma: 3").interval, 16);
  expect_error(ExitCode::kConfig, "run.yaml:1: r2_gamma: must not be negative",
               [] { penalties("r2_gamma: -1"); });
}

TEST(ReadPenalties, FollowASchedule) {
  const auto falling =
      penalties("{r1_gamma: 2, gamma_schedule: {name: linear, final_fraction: 0.5, kimg: 1}}");
  EXPECT_DOUBLE_EQ(falling.factor(0), 1);
  EXPECT_DOUBLE_EQ(falling.factor(500), 0.75);
  EXPECT_DOUBLE_EQ(falling.factor(5000), 0.5);
  EXPECT_EQ(penalties("r1_gamma: 2").factor(5000), 1);
}

TEST(ReadPathLength, IsOffByDefault) {
  const auto options = path_length("{}");
  EXPECT_EQ(options.weight, 0);
  EXPECT_EQ(options.interval, 0);
  EXPECT_EQ(options.decay, 0.01);
  EXPECT_EQ(options.batch_shrink, 2);
}

TEST(ReadPathLength, ReadsEveryKey) {
  EXPECT_EQ(path_length("path_length_weight: 2").interval, 4);
  const auto options = path_length(
      "{path_length_weight: 2, path_length_interval: 8, path_length_decay: 0.5, "
      "path_length_batch_shrink: 4}");
  EXPECT_EQ(options.weight, 2);
  EXPECT_EQ(options.interval, 8);
  EXPECT_EQ(options.decay, 0.5);
  EXPECT_EQ(options.batch_shrink, 4);
}

TEST(ReadPathLength, RefusesImpossibleValues) {
  expect_error(ExitCode::kConfig, "path_length_weight: must not be negative",
               [] { path_length("path_length_weight: -1"); });
  expect_error(ExitCode::kConfig, "path_length_interval: must be positive",
               [] { path_length("{path_length_weight: 1, path_length_interval: 0}"); });
  expect_error(ExitCode::kConfig, "path_length_interval: must be at most 1000000000: 1000000001",
               [] { path_length("path_length_interval: 1000000001"); });
  for (const char* decay : {"0", "1.5"}) {
    expect_error(ExitCode::kConfig, "path_length_decay: must be in (0, 1]",
                 [&] { path_length(std::string("path_length_decay: ") + decay); });
  }
  expect_error(ExitCode::kConfig, "path_length_batch_shrink: must be positive",
               [] { path_length("path_length_batch_shrink: 0"); });
}

}  // namespace
}  // namespace ganscale::losses
