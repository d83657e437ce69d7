#include "planning/model/predict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ganscale::planning {
namespace {

TEST(MeanLargestNormal, MatchesTables) {
  EXPECT_NEAR(mean_largest_normal(1), 0, 1e-9);
  EXPECT_NEAR(mean_largest_normal(2), 1 / std::sqrt(std::numbers::pi), 1e-4);
  // Harter 1961, Biometrika 48: order statistics of the normal distribution
  EXPECT_NEAR(mean_largest_normal(5), 1.16296, 1e-4);
  EXPECT_NEAR(mean_largest_normal(10), 1.53875, 1e-4);
  EXPECT_NEAR(mean_largest_normal(100), 2.50759, 1e-4);
}

/// Nodes of two with 1 GB/s inside and no latency.
Machine nodes_of_two() {
  return {.name = "test",
          .device = "V100",
          .gpus_per_node = 2,
          .inside = {"inside", 1e9, 0},
          .between = {"between", 1e9, 0}};
}

/// Nothing but what a test is about.
Assumptions make_assumptions() {
  return {.launch_seconds = 0,
          .synchronize_seconds = 0,
          .overlap = 0,
          .link_share = 1,
          .jitter = 0,
          .spread = 0,
          .reader_bytes_per_second = 1e12,
          .storage_bytes_per_second = 1e12};
}

/// One phase: a second and a tenth a device image.
Workload linear_workload() {
  return {.phases = {{.name = "main", .device = {{10, 2}, {20, 3}}}}, .image_bytes = 1000};
}

StepTime predict(const Workload& workload, const Assumptions& assumptions, const Scale& scale) {
  return predict_step(workload, nodes_of_two(), assumptions, scale);
}

TEST(PredictStep, FollowsTheLinesThroughTheDevicesTimes) {
  const Workload workload = linear_workload();
  EXPECT_DOUBLE_EQ(predict(workload, make_assumptions(), {1, 15}).device, 2.5);
  EXPECT_DOUBLE_EQ(predict(workload, make_assumptions(), {1, 40}).device, 5);
  EXPECT_DOUBLE_EQ(predict(workload, make_assumptions(), {2, 10}).device, 1.5);
  Workload one = workload;
  one.phases[0].device = {{10, 2}};
  EXPECT_DOUBLE_EQ(predict(one, make_assumptions(), {1, 5}).device, 1);
}

TEST(PredictStep, AveragesPhasesOverTheirIntervals) {
  Workload workload = linear_workload();
  workload.phases.push_back(workload.phases[0]);
  workload.phases[1].interval = 4;
  EXPECT_DOUBLE_EQ(predict(workload, make_assumptions(), {1, 10}).device, 2.5);
}

TEST(PredictStep, WaitsForTheHostIfItIsSlower) {
  Workload workload = linear_workload();
  workload.phases[0].launches = 1000;
  Assumptions assumptions = make_assumptions();
  assumptions.launch_seconds = 2.5e-3;
  const StepTime few = predict(workload, assumptions, {1, 10});
  EXPECT_DOUBLE_EQ(few.device, 2);
  EXPECT_DOUBLE_EQ(few.host, 0.5);
  EXPECT_DOUBLE_EQ(predict(workload, assumptions, {1, 20}).host, 0);
}

TEST(PredictStep, RepeatsThePhasesOfAccumulatedGradients) {
  Workload workload = linear_workload();
  workload.phases[0].launches = 1000;
  workload.phases[0].reduced_bytes = 1e9;
  workload.phases[0].reductions = 1;
  Assumptions assumptions = make_assumptions();
  assumptions.launch_seconds = 2.5e-3;
  const StepTime step = predict(workload, assumptions, {.gpus = 2, .batch = 40, .at_once = 10});
  EXPECT_DOUBLE_EQ(step.device, 4);
  EXPECT_DOUBLE_EQ(step.host, 1);
  EXPECT_DOUBLE_EQ(step.all_reduce, 1);
}

TEST(PredictStep, TakesTheCountedPassesAsTheyAre) {
  Workload workload = linear_workload();
  workload.passes = 4;
  workload.phases[0].launches = 1000;
  Assumptions assumptions = make_assumptions();
  assumptions.launch_seconds = 2.5e-3;
  const StepTime counted = predict(workload, assumptions, {.gpus = 1, .batch = 16});
  const StepTime same = predict(workload, assumptions, {.gpus = 1, .batch = 16, .at_once = 4});
  EXPECT_DOUBLE_EQ(same.device, counted.device);
  EXPECT_DOUBLE_EQ(same.host, counted.host);
  const StepTime twice = predict(workload, assumptions, {.gpus = 1, .batch = 32, .at_once = 4});
  EXPECT_DOUBLE_EQ(twice.total(), 2 * counted.total());
}

TEST(PredictStep, HidesAllReducesOnlyBehindTheLastPass) {
  Workload workload = linear_workload();
  workload.phases[0].reduced_bytes = 1e9;  // one second on two ranks
  workload.phases[0].reductions = 4;
  workload.passes = 4;
  Assumptions assumptions = make_assumptions();
  assumptions.overlap = 1;  // with a quarter of two seconds
  EXPECT_DOUBLE_EQ(predict(workload, assumptions, {2, 20}).all_reduce, 0.5);
}

TEST(PredictStep, ScalesTheDeviceByItsFactor) {
  Assumptions assumptions = make_assumptions();
  assumptions.device = 3;
  EXPECT_DOUBLE_EQ(predict(linear_workload(), assumptions, {1, 10}).device, 6);
}

TEST(PredictStep, HidesAllButTheLastAllReduce) {
  Workload workload = linear_workload();
  workload.phases[0].reduced_bytes = 1e9;  // one second on two ranks
  workload.phases[0].reductions = 4;
  Assumptions assumptions = make_assumptions();
  EXPECT_DOUBLE_EQ(predict(workload, assumptions, {2, 20}).all_reduce, 1);
  assumptions.overlap = 0.25;  // of two seconds
  EXPECT_DOUBLE_EQ(predict(workload, assumptions, {2, 20}).all_reduce, 0.5);
  assumptions.overlap = 1;
  EXPECT_DOUBLE_EQ(predict(workload, assumptions, {2, 20}).all_reduce, 0.25);
  assumptions.synchronize_seconds = 0.125;
  EXPECT_DOUBLE_EQ(predict(workload, assumptions, {2, 20}).all_reduce, 0.375);
  EXPECT_DOUBLE_EQ(predict(workload, assumptions, {1, 10}).all_reduce, 0);
  workload.phases[0].reductions = 1;  // after the phase
  EXPECT_DOUBLE_EQ(predict(workload, assumptions, {2, 20}).all_reduce, 1.125);
}

TEST(PredictStep, HidesMoreIfTheHostIsSlower) {
  Workload workload = linear_workload();
  workload.phases[0].launches = 1000;
  workload.phases[0].reduced_bytes = 3e9;  // three seconds on two ranks
  workload.phases[0].reductions = 6;
  Assumptions assumptions = make_assumptions();
  assumptions.overlap = 0.5;
  EXPECT_DOUBLE_EQ(predict(workload, assumptions, {2, 20}).all_reduce, 2);
  assumptions.launch_seconds = 4e-3;
  EXPECT_DOUBLE_EQ(predict(workload, assumptions, {2, 20}).all_reduce, 1);
}

TEST(PredictStep, WaitsForTheSlowestRank) {
  Assumptions assumptions = make_assumptions();
  assumptions.jitter = 0.03;
  assumptions.spread = 0.04;
  EXPECT_NEAR(predict(linear_workload(), assumptions, {8, 80}).stragglers,
              2 * 0.05 * mean_largest_normal(8), 1e-12);
  EXPECT_NEAR(predict(linear_workload(), assumptions, {1, 10}).stragglers, 0, 1e-9);
}

TEST(PredictStep, WaitsForDataThatReadersOrStorageDeliverTooSlowly) {
  Assumptions assumptions = make_assumptions();
  assumptions.reader_bytes_per_second = 4000;  // ten images of a rank: 2.5 s
  EXPECT_DOUBLE_EQ(predict(linear_workload(), assumptions, {2, 20}).data, 0.5);
  assumptions.storage_bytes_per_second = 5000;  // twenty of both: 4 s
  EXPECT_DOUBLE_EQ(predict(linear_workload(), assumptions, {2, 20}).data, 2);
}

TEST(PredictStep, OfALoneRankReducesNothing) {
  Workload workload = linear_workload();
  workload.phases[0].reduced_bytes = 1e9;
  workload.phases[0].reductions = 1;
  EXPECT_DOUBLE_EQ(predict_lone_step(workload, make_assumptions(), {2, 20}).total(), 2);
}

TEST(SecondsPerKimg, AreOfTheWholeBatch) {
  EXPECT_DOUBLE_EQ(seconds_per_kimg({.device = 2, .data = 1}, {4, 60}), 50);
}

}  // namespace

}  // namespace ganscale::planning
