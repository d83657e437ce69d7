#include "kind/summary.h"

#include <gtest/gtest.h>

#include <map>

#include "support/kstatus.h"

namespace ganscale::controller {
namespace {

/// An object of generation 2 in a phase, as the operator stores it.
Json object_in(Phase phase, const Refusal& refusal = {}) {
  Json object = {{"metadata", {{"generation", 2}}}, {"status", {{"observedGeneration", 2}}}};
  for (const Condition& condition : summary_conditions(phase, "Why", "words", refusal)) {
    set_condition(object["status"], condition, 2, Time());
  }
  return object;
}

Json condition(const Json& object, const std::string& type) {
  return find_condition(object["status"], type);
}

TEST(SummaryConditions, GiveKstatusTheStateOfEachPhase) {
  const std::map<Phase, std::string> expected{
      {Phase::kPending, "InProgress"},    {Phase::kValidated, "InProgress"},
      {Phase::kScheduling, "InProgress"}, {Phase::kRunning, "Current"},
      {Phase::kResizing, "InProgress"},   {Phase::kRestarting, "InProgress"},
      {Phase::kSuspended, "Current"},     {Phase::kSucceeded, "Current"},
      {Phase::kFailed, "Failed"}};
  ASSERT_EQ(expected.size(), kPhases.size());
  for (const auto& [phase, says] : expected) {
    EXPECT_EQ(kstatus(object_in(phase)), says) << name_in(kPhases, phase);
  }
}

TEST(SummaryConditions, OfARefusedSpecAreStalledUnlessAnotherObjectIsMissing) {
  EXPECT_EQ(kstatus(object_in(Phase::kPending, {"BadConfig", "spec.config: no"})), "Failed");
  EXPECT_EQ(kstatus(object_in(Phase::kPending, {kMissingClaim, "spec.data: none"})), "InProgress");
  EXPECT_EQ(kstatus(object_in(Phase::kPending, {kMissingConfigMap, "none"})), "InProgress");
  const Json edited = object_in(Phase::kRunning, {"BadConfig", "spec.config: no"});
  EXPECT_EQ(kstatus(edited), "Failed") << "what runs is not what the spec asks for";
  EXPECT_EQ(condition(edited, "Ready")["reason"], "BadConfig");
  EXPECT_EQ(condition(edited, "Stalled")["message"], "spec.config: no");
}

TEST(SummaryConditions, AreNotReadyWhileWhatRunsIsBeingStopped) {
  for (const bool is_ending : {false, true}) {
    const auto conditions = summary_conditions(Phase::kRunning, "Why", "words", {}, is_ending);
    EXPECT_EQ(conditions.front().type, "Ready");
    EXPECT_EQ(conditions.front().holds, !is_ending);
  }
}

TEST(SummaryConditions, HaveTheReasonOfThePhase) {
  const Json suspended = object_in(Phase::kSuspended);
  EXPECT_EQ(condition(suspended, "Suspended")["status"], "True");
  EXPECT_EQ(condition(suspended, "Suspended")["reason"], "Why");
  EXPECT_EQ(condition(suspended, "Ready")["message"], "words");
  const Json running = object_in(Phase::kRunning);
  EXPECT_EQ(condition(running, "Suspended")["status"], "False");
  EXPECT_EQ(condition(running, "Stalled")["status"], "False");
  EXPECT_EQ(condition(running, "Stalled")["message"], "");
}

TEST(Kstatus, IsInProgressForAnUnobservedObject) {
  Json made = {{"metadata", {{"generation", 1}}}};
  EXPECT_EQ(kstatus(made), "Current") << "which is why the definitions have a default";
  made["status"] = {{"observedGeneration", -1}};
  EXPECT_EQ(kstatus(made), "InProgress");
  Json edited = object_in(Phase::kRunning);
  edited["metadata"]["generation"] = 3;
  EXPECT_EQ(kstatus(edited), "InProgress");
  edited["metadata"]["deletionTimestamp"] = "2025-06-15T15:06:40Z";
  EXPECT_EQ(kstatus(edited), "Terminating");
}

}  // namespace
}  // namespace ganscale::controller
