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

TEST(SweepStatus, BeforeTheFirstResultHasNoFigures) {
  const Json status = next_status(Json(), Record(), facts(make_plan()));
  EXPECT_EQ(status["done"], "0/6");
  EXPECT_FALSE(status.contains("bestImagesPerSecond"));
  EXPECT_FALSE(status.contains("report"));
  EXPECT_FALSE(status["points"][0].contains("speedup"));
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
