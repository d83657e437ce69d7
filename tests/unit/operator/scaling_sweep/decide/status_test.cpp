#include "scaling_sweep/decide/status.h"

#include <gtest/gtest.h>

#include "object/condition.h"
#include "support/kstatus.h"
#include "unit/operator/scaling_sweep/make_plan.h"

namespace ganscale::controller::scaling_sweep {
namespace {

Facts facts(const Plan& plan) {
  return {.generation = 3, .problem_reason = {}, .problem = {}, .plan = plan, .now = Time()};
}

TEST(SweepStatus, HasWhatKubectlShows) {
  const Plan plan = make_plan();
  Record record{
      .phase = Phase::kRunning, .reason = "Running", .message = {}, .current = {}, .results = {}};
  for (const SweepRun& run : plan.runs) {
    if (run.repeat == 1) {
      record.results.push_back(make_result(plan, run, std::vector{100.0, 190.0, 360.0}[run.point]));
    }
  }
  const Json status = next_status(Json(), record, facts(plan));
  EXPECT_EQ(status["mode"], "Weak");
  EXPECT_EQ(status["done"], "3/6");
  EXPECT_EQ(status["bestImagesPerSecond"], 360.0);
  EXPECT_EQ(status["speedup"], 3.6);
  EXPECT_EQ(status["efficiencyPercent"], 90.0);
  EXPECT_EQ(status["communicationPercent"], 10.0);
  EXPECT_EQ(status["report"], "weak-report");
  EXPECT_EQ(status["points"][1]["name"], "n2");
  EXPECT_EQ(status["points"][1]["globalBatch"], 16);
  EXPECT_EQ(status["points"][1]["secondsPerKimg"], 5.263);
  EXPECT_EQ(status["points"][1]["speedup"], 1.9);
  EXPECT_TRUE(status["fit"].contains("amdahl"));
  EXPECT_EQ(find_condition(status, "Validated")["status"], "True");
  EXPECT_EQ(find_condition(status, "Progressing")["status"], "True");
  EXPECT_EQ(find_condition(status, "Succeeded")["status"], "False");
}

TEST(SweepStatus, RoundsItsFigures) {
  Plan plan = make_plan();
  plan.points[0].global_batch = 1;
  plan.points[1].point.gpus_per_node = 1;
  Summary summary;
  summary.points.resize(3);
  PointResult& point = summary.points[1];
  point.measured = 2;
  point.images_per_second = 234.56789;
  point.interval = Interval{230.12345, 239.98765};
  point.variation = 0.0123456;
  point.speedup = 1.98765;
  point.speedup_interval = Interval{1.91234, 2.06789};
  point.efficiency = 0.912345;
  point.communication = 0.123456;
  point.straggler_ratio = 1.23456;
  point.memory_share = 0.456789;
  point.gpu_use = 0.345678;
  point.image_ids = {"x@sha256:1"};
  summary.best = 1;
  summary.amdahl =
      ScalingFit{.rate_of_one = 118.76543, .contention = 0.01234567, .r_squared = 0.98765};
  Json status;
  write_figures(plan, Record(), summary, status);
  EXPECT_EQ(status["bestImagesPerSecond"], 234.6);
  EXPECT_EQ(status["speedup"], 1.99);
  EXPECT_EQ(status["efficiencyPercent"], 91.2);
  EXPECT_EQ(status["communicationPercent"], 12.3);
  EXPECT_EQ(status["fit"]["amdahl"], Json::parse(R"({"imagesPerSecondOfOneRank": 118.765,
                                                     "contention": 0.012346, "rSquared": 0.9877})"));
  Json shown = status["points"][1];
  shown.erase("step");
  EXPECT_EQ(shown, Json::parse(R"({
    "name": "n2g1", "nodes": 2, "ranks": 2, "gpus": 0, "gpusPerNode": 1, "globalBatch": 16, "n": 2, "failed": 0,
    "imagesPerSecond": 234.57, "secondsPerKimg": 4.263, "interval": {"low": 230.12, "high": 239.99},
    "variationPercent": 1.23, "speedup": 1.988, "speedupInterval": {"low": 1.912, "high": 2.068},
    "efficiencyPercent": 91.2, "communicationPercent": 12.3, "stragglerRatio": 1.235, "memoryPercent": 45.7,
    "gpuUsePercent": 34.6, "imageIDs": ["x@sha256:1"]})"));
  EXPECT_EQ(status["points"][0], Json::parse(R"({
    "name": "n1", "nodes": 1, "ranks": 1, "gpus": 0, "globalBatch": 1, "n": 0, "failed": 0})"));
}

TEST(SweepStatus, ReportsAFaultAndKeepsUnknownFields) {
  Facts bad = facts({});
  bad.problem_reason = "BadSpec";
  bad.problem = "spec.mode: must be ...";
  const Json old = {{"newerField", 1}, {"done", "2/6"}};
  const Json status = next_status(old, Record(), bad);
  EXPECT_EQ(status["newerField"], 1);
  EXPECT_EQ(status["done"], "2/6");
  EXPECT_EQ(find_condition(status, "Validated")["message"], bad.problem);
  EXPECT_EQ(find_condition(status, "Validated")["reason"], "BadSpec");
}

TEST(SweepStatus, IsOneThatKstatusUnderstands) {
  const auto says = [](Phase phase) {
    Record record;
    record.phase = phase;
    const Json status = next_status(Json(), record, facts(make_plan()));
    return kstatus({{"metadata", {{"generation", 3}}}, {"status", status}});
  };
  EXPECT_EQ(says(Phase::kRunning), "Current");
  EXPECT_EQ(says(Phase::kSuspended), "Current");
  EXPECT_EQ(says(Phase::kFailed), "Failed");
  EXPECT_EQ(says(Phase::kPending), "InProgress");
}

TEST(SweepStatus, IsStalledIfTheServerRefusesWhatWasMadeOfTheSpec) {
  Json old = Json::object();
  set_condition(old, {"Reconciled", false, "Invalid", "GanTraining: must match"}, 3, Time());
  const Json status = next_status(old, Record(), facts(make_plan()));
  EXPECT_EQ(find_condition(status, "Stalled")["status"], "True");
  EXPECT_EQ(find_condition(status, "Stalled")["message"], "GanTraining: must match");
}

TEST(SweepStatus, NamesTheReportOfRunsThatAllFailed) {
  const Plan plan = make_plan();
  Record record;
  record.results.push_back(make_result(plan, plan.runs[0], 100));
  record.results[0].measured.reset();
  const Json status = next_status(Json(), record, facts(plan));
  EXPECT_EQ(status["report"], "weak-report");
  EXPECT_FALSE(status.contains("bestImagesPerSecond"));
}

TEST(SweepStatus, BeforeTheFirstResultHasNoFigures) {
  const Json status = next_status(Json(), Record(), facts(make_plan()));
  EXPECT_EQ(status["done"], "0/6");
  EXPECT_FALSE(status.contains("bestImagesPerSecond"));
  EXPECT_FALSE(status.contains("report"));
  EXPECT_FALSE(status["points"][0].contains("speedup"));
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
