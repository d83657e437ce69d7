#include "scaling_sweep/decide/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scaling_sweep/decide/status.h"
#include "unit/operator/scaling_sweep/make_plan.h"

namespace ganscale::controller::scaling_sweep {
namespace {

using testing::ElementsAre;

/// Results of both repeats of each point: 100 and 102 images per second on one rank, and so on.
Record measured(const Plan& plan) {
  Record record;
  for (const SweepRun& run : plan.runs) {
    const double rate = std::vector{100.0, 190.0, 360.0}[run.point] + (run.repeat == 2 ? 2 : 0);
    record.results.push_back(make_result(plan, run, rate));
  }
  return record;
}

TEST(Points, HaveMedianSpeedupAndEfficiency) {
  const Plan plan = make_plan();
  const Summary summary = summarize(plan, measured(plan));
  const PointResult& four = summary.points[2];
  EXPECT_EQ(four.measured, 2);
  EXPECT_DOUBLE_EQ(four.images_per_second, 361);
  EXPECT_NEAR(*four.speedup, 361.0 / 101, 1e-12);
  EXPECT_NEAR(*four.efficiency, 361.0 / 101 / 4, 1e-12);
  EXPECT_LT(four.speedup_interval->low, *four.speedup);
  EXPECT_GT(four.speedup_interval->high, *four.speedup);
  EXPECT_EQ(summary.best, 2U);
  EXPECT_THAT(four.warnings, testing::IsEmpty());
}

TEST(Points, AreRelativeToTheChosenBaseline) {
  const Plan plan = make_plan({{"baseline", {{"nodes", 2}}}});
  const Summary summary = summarize(plan, measured(plan));
  EXPECT_NEAR(*summary.points[0].speedup, 101.0 / 191, 1e-12);
  EXPECT_NEAR(*summary.points[0].efficiency, 2 * 101.0 / 191, 1e-12);
  EXPECT_DOUBLE_EQ(*summary.points[1].speedup, 1);
  EXPECT_FALSE(summary.points[1].speedup_interval) << "of the baseline over itself";
}

TEST(Points, BreakDownTheTimeOfAStep) {
  const Plan plan = make_plan();
  const Summary summary = summarize(plan, measured(plan));
  // 20 steps of 8 images at 100 and 102 a second; a tenth waits for gradients, a twentieth for data
  const double step = (8.0 / 100 + 8.0 / 102) / 2;
  const StepTimes& times = summary.points[0].step.value();
  EXPECT_NEAR(times.all_reduce, step / 10, 1e-12);
  EXPECT_NEAR(times.data_wait, step / 20, 1e-12);
  EXPECT_NEAR(times.compute, step * 17 / 20, 1e-12);
  EXPECT_EQ(times.role_wait, 0);
  EXPECT_NEAR(times.total(), step, 1e-12);
  EXPECT_NEAR(summary.points[0].communication.value(), 0.1, 1e-12);
}

// Ranks that wait for the other role for half of the time compute in what is left of it.
TEST(Points, TakeTheWaitForTheOtherRoleForNoComputing) {
  const Plan plan = make_plan();
  Record record = measured(plan);
  for (Result& result : record.results) {
    result.measured->role_wait_seconds = result.measured->seconds / 2;
  }
  const Summary summary = summarize(plan, record);
  const StepTimes& times = summary.points[0].step.value();
  EXPECT_NEAR(times.role_wait, times.total() / 2, 1e-12);
  EXPECT_NEAR(times.compute, times.total() * 7 / 20, 1e-12);
  Json status;
  write_figures(plan, record, summary, status);
  EXPECT_NEAR(status["points"][0]["step"]["roleWaitMs"].get<double>(), 500 * times.total(), 0.001);
}

// Two repeats on two ranks: the slower rank takes 12 and 14 s, and 1.3 times as long as the mean.
TEST(Points, OfWholeTrainingsCompareTheSlowestRankWithTheMean) {
  const Plan plan = make_plan();
  Record record = measured(plan);
  for (Result& result : record.results) {
    Measured& whole = *result.measured;
    whole.steps = 0;
    whole.seconds = result.run.ends_with("r1") ? 12 : 14;
    whole.straggler_ratio = 1.3;
  }
  const Summary summary = summarize(plan, record);
  EXPECT_DOUBLE_EQ(summary.points[1].completion_seconds.value(), 13);
  Json status;
  write_figures(plan, record, summary, status);
  const Json& point = status["points"][1];
  EXPECT_EQ(point["completionSeconds"], 13);
  EXPECT_EQ(point["meanRankSeconds"], 10);
  EXPECT_EQ(point["stragglerRatio"], 1.3);
  EXPECT_FALSE(point.contains("step")) << "there are none in common";
  EXPECT_FALSE(point.contains("communicationPercent"));
  EXPECT_FALSE(status.contains("communicationPercent"));
  EXPECT_FALSE(summarize(plan, measured(plan)).points[1].completion_seconds);
}

TEST(Points, FitAmdahlOfThreeSizes) {
  const Plan plan = make_plan();
  const Summary summary = summarize(plan, measured(plan));
  ASSERT_TRUE(summary.amdahl);
  EXPECT_GT(summary.amdahl->r_squared, 0.99);
  EXPECT_FALSE(summary.usl) << "three sizes fit three parameters whatever they are";
}

TEST(Points, WarnOfUnreliableMeasurements) {
  const Plan plan = make_plan();
  Record record = measured(plan);
  Result& first = record.results[0];
  first.measured->images_per_second *= 1.5;
  first.nodes = {"b"};
  first.image_id = "sha256:1";
  first.restarts = 1;
  for (Result& result : record.results) {
    if (result.image_id.empty()) result.image_id = "sha256:2";
  }
  const PointResult point = summarize(plan, record).points[plan.runs[0].point];
  EXPECT_THAT(point.warnings,
              ElementsAre("the repeats ran on different nodes", "the repeats ran different images",
                          "the repeats vary by more than 5%", "a run was restarted"));
  EXPECT_THAT(point.nodes, ElementsAre("a", "b"));
}

TEST(Points, CountFailedRunsAndDoWithoutThem) {
  const Plan plan = make_plan();
  Record record = measured(plan);
  for (Result& result : record.results) {
    if (result.run == "weak-n2-r1" || result.run.starts_with("weak-n4")) result.measured.reset();
  }
  const Summary summary = summarize(plan, record);
  EXPECT_EQ(summary.points[1].measured, 1);
  EXPECT_EQ(summary.points[1].failed, 1);
  EXPECT_FALSE(summary.points[1].interval);
  EXPECT_EQ(summary.points[2].measured, 0);
  EXPECT_FALSE(summary.points[2].speedup);
  EXPECT_EQ(summary.best, 1U);
}

TEST(Points, OfAnEmptyRecordSayNothing) {
  const Summary summary = summarize(make_plan(), {});
  EXPECT_EQ(summary.points.size(), 3U);
  EXPECT_FALSE(summary.best);
  EXPECT_FALSE(summary.amdahl);
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
