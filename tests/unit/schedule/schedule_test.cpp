#include "schedule/schedule.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace ganscale::schedule {
namespace {

Schedule schedule(ScheduleKind kind, double warmup_kimg = 0) {
  Schedule s;
  s.kind = kind;
  s.warmup_kimg = warmup_kimg;
  return s;
}

TEST(Schedule, ConstantStaysTheBase) {
  EXPECT_EQ(value_of(schedule(ScheduleKind::kConstant), 2e-4, 0, 1000), 2e-4);
  EXPECT_EQ(value_of(schedule(ScheduleKind::kConstant), 2e-4, 5000, 1000), 2e-4);
}

TEST(Schedule, WarmUpRisesLinearlyFromZero) {
  EXPECT_EQ(value_of(schedule(ScheduleKind::kConstant, 2), 1.0, 0, 10000), 0);
  EXPECT_EQ(value_of(schedule(ScheduleKind::kConstant, 2), 1.0, 500, 10000), 0.25);
  EXPECT_EQ(value_of(schedule(ScheduleKind::kConstant, 2), 1.0, 2000, 10000), 1.0);
}

TEST(Schedule, LinearFallsToItsFinalFraction) {
  auto s = schedule(ScheduleKind::kLinear, 2);
  s.final = 0.1;
  EXPECT_DOUBLE_EQ(value_of(s, 1.0, 2000, 10000), 1.0);
  EXPECT_DOUBLE_EQ(value_of(s, 1.0, 6000, 10000), 0.55);  // half of the 8000 after warm-up
  EXPECT_DOUBLE_EQ(value_of(s, 1.0, 10000, 10000), 0.1);
  EXPECT_DOUBLE_EQ(value_of(s, 1.0, 99000, 10000), 0.1);
}

TEST(Schedule, CosineFallsAlongHalfAWave) {
  const auto s = schedule(ScheduleKind::kCosine);
  EXPECT_DOUBLE_EQ(value_of(s, 2.0, 0, 9000), 2.0);
  EXPECT_DOUBLE_EQ(value_of(s, 2.0, 3000, 9000), 1.5);  // cos(60 degrees) = 1/2
  EXPECT_DOUBLE_EQ(value_of(s, 2.0, 4500, 9000), 1.0);
  EXPECT_NEAR(value_of(s, 2.0, 9000, 9000), 0.0, 1e-15);
}

// From 0.9 to 0.99 within 4000 images, not within the run.
TEST(Schedule, MayRiseAndEndBeforeTheRun) {
  auto s = schedule(ScheduleKind::kCosine);
  s.final = 0.99;
  s.kimg = 4;
  EXPECT_DOUBLE_EQ(value_of(s, 0.9, 0, 9000), 0.9);
  EXPECT_DOUBLE_EQ(value_of(s, 0.9, 2000, 9000), 0.945);
  EXPECT_DOUBLE_EQ(value_of(s, 0.9, 4000, 9000), 0.99);
  EXPECT_DOUBLE_EQ(value_of(s, 0.9, 5000, 9000), 0.99);
}

TEST(Schedule, StepDropsAtEachInterval) {
  auto s = schedule(ScheduleKind::kStep, 1);
  s.step_kimg = 2;
  s.step_factor = 0.5;
  EXPECT_EQ(value_of(s, 8.0, 1000, 0), 8.0);
  EXPECT_EQ(value_of(s, 8.0, 2999, 0), 8.0);
  EXPECT_EQ(value_of(s, 8.0, 3000, 0), 4.0);
  EXPECT_EQ(value_of(s, 8.0, 5000, 0), 2.0);
}

TEST(ParseRateSchedule, ReadsOnlyTheKeysOfItsKind) {
  const auto read = [](const std::string& yaml) {
    return parse_rate_schedule(config::Section(config::parse_yaml(yaml, "run.yaml")));
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

TEST(ParseRateSchedule, EndsWithTheRunOrBefore) {
  const auto read = [](const std::string& yaml) {
    return parse_rate_schedule(config::Section(config::parse_yaml(yaml, "run.yaml")));
  };
  EXPECT_EQ(read("name: cosine").kimg, 0);
  EXPECT_EQ(read("{name: cosine, kimg: 20}").kimg, 20);
  expect_error(ExitCode::kConfig, "run.yaml:1: kimg: must be above warmup_kimg",
               [&] { read("{name: cosine, kimg: 20, warmup_kimg: 20}"); });
}

TEST(ParseSchedule, ReadsItsFinalValueAndItsEnd) {
  const auto read = [](const std::string& yaml) {
    return parse_schedule(config::Section(config::parse_yaml(yaml, "run.yaml")),
                          {"final_kimg", "the last one"});
  };
  EXPECT_TRUE(read("{}").is_constant());
  const auto s = read("{name: linear, final_kimg: 5, kimg: 20, warmup_kimg: 1}");
  EXPECT_FALSE(s.is_constant());
  EXPECT_EQ(s.kind, ScheduleKind::kLinear);
  EXPECT_EQ(s.final, 5);
  EXPECT_EQ(s.kimg, 20);
  expect_error(ExitCode::kConfig, "run.yaml:1: kimg: must be above warmup_kimg",
               [&] { read("{name: linear, final_kimg: 5}"); });
  expect_error(ExitCode::kConfig, "name: expected one of [constant, linear, cosine]",
               [&] { read("name: step"); });
}

}  // namespace
}  // namespace ganscale::schedule
