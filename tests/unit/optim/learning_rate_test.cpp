#include "optim/learning_rate.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace ganscale::optim {
namespace {

LearningRateSchedule schedule(ScheduleKind kind, double warmup_kimg = 0) {
  LearningRateSchedule s;
  s.kind = kind;
  s.warmup_kimg = warmup_kimg;
  return s;
}

TEST(LearningRate, ConstantStaysTheBase) {
  EXPECT_EQ(learning_rate(schedule(ScheduleKind::kConstant), 2e-4, 0, 1000), 2e-4);
  EXPECT_EQ(learning_rate(schedule(ScheduleKind::kConstant), 2e-4, 5000, 1000), 2e-4);
}

TEST(LearningRate, WarmUpRisesLinearlyFromZero) {
  EXPECT_EQ(learning_rate(schedule(ScheduleKind::kConstant, 2), 1.0, 0, 10000), 0);
  EXPECT_EQ(learning_rate(schedule(ScheduleKind::kConstant, 2), 1.0, 500, 10000), 0.25);
  EXPECT_EQ(learning_rate(schedule(ScheduleKind::kConstant, 2), 1.0, 2000, 10000), 1.0);
}

TEST(LearningRate, LinearFallsToItsFinalFraction) {
  auto s = schedule(ScheduleKind::kLinear, 2);
  s.final_fraction = 0.1;
  EXPECT_DOUBLE_EQ(learning_rate(s, 1.0, 2000, 10000), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate(s, 1.0, 6000, 10000), 0.55);  // half of the 8000 after warm-up
  EXPECT_DOUBLE_EQ(learning_rate(s, 1.0, 10000, 10000), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate(s, 1.0, 99000, 10000), 0.1);
}

TEST(LearningRate, CosineFallsAlongHalfAWave) {
  const auto s = schedule(ScheduleKind::kCosine);
  EXPECT_DOUBLE_EQ(learning_rate(s, 2.0, 0, 9000), 2.0);
  EXPECT_DOUBLE_EQ(learning_rate(s, 2.0, 3000, 9000), 1.5);  // cos(60 degrees) = 1/2
  EXPECT_DOUBLE_EQ(learning_rate(s, 2.0, 4500, 9000), 1.0);
  EXPECT_NEAR(learning_rate(s, 2.0, 9000, 9000), 0.0, 1e-15);
}

TEST(LearningRate, StepDropsAtEachInterval) {
  auto s = schedule(ScheduleKind::kStep, 1);
  s.step_kimg = 2;
  s.step_factor = 0.5;
  EXPECT_EQ(learning_rate(s, 8.0, 1000, 0), 8.0);
  EXPECT_EQ(learning_rate(s, 8.0, 2999, 0), 8.0);
  EXPECT_EQ(learning_rate(s, 8.0, 3000, 0), 4.0);
  EXPECT_EQ(learning_rate(s, 8.0, 5000, 0), 2.0);
}

TEST(ParseLearningRateSchedule, ReadsOnlyTheKeysOfItsKind) {
  const auto read = [](const std::string& yaml) {
    return parse_learning_rate_schedule(config::Section(config::parse_yaml(yaml, "run.yaml")));
  };
  const auto s = read("name: step\nstep_kimg: 5\nstep_factor: 0.1\nwarmup_kimg: 1\n");
  EXPECT_EQ(s.kind, ScheduleKind::kStep);
  EXPECT_EQ(s.step_kimg, 5);
  EXPECT_EQ(s.step_factor, 0.1);
  EXPECT_EQ(s.warmup_kimg, 1);
  expect_error(ExitCode::kConfig, "run.yaml:2: unknown key: step_kimg",
               [&] { read("name: cosine\nstep_kimg: 5\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:2: final_fraction: must lie between 0 and 1",
               [&] { read("name: cosine\nfinal_fraction: 2\n"); });
}

}  // namespace
}  // namespace ganscale::optim
