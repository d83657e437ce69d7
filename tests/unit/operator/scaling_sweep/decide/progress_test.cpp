#include "scaling_sweep/decide/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/operator/scaling_sweep/make_plan.h"

namespace ganscale::controller::scaling_sweep {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Situation situation(const Json& changes = Json::object()) {
  Situation s;
  s.plan = make_plan(changes);
  s.now = Time(seconds(1750000000));
  return s;
}

/// The GanTraining of the i-th run of the plan.
Child child_of(const Situation& s, std::size_t i, Phase phase = Phase::kRunning) {
  const SweepRun& run = s.plan.runs.at(i);
  Child child;
  child.name = run.name;
  child.uid = "c";
  child.hash = s.plan.points[run.point].hash;
  child.owned = true;
  child.created = s.now;
  child.phase = phase;
  return child;
}

Child measured_child(const Situation& s, std::size_t i) {
  Child child = child_of(s, i, Phase::kSucceeded);
  child.measured = make_measured(100);
  child.nodes = {"b", "a"};
  return child;
}

void give_results(Situation& s, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    s.record.results.push_back(make_result(s.plan, s.plan.runs[i], 100));
  }
}

TEST(Progress, StartsTheFirstRun) {
  const Situation s = situation();
  const Decision d = decide(s);
  EXPECT_EQ(d.start, 0U);
  EXPECT_EQ(d.record.current, s.plan.runs[0].name);
  EXPECT_EQ(d.record.phase, Phase::kRunning);
}

TEST(Progress, WaitsForTheRunThatIsThere) {
  Situation s = situation();
  s.children = {child_of(s, 0)};
  const Decision d = decide(s);
  EXPECT_FALSE(d.start);
  EXPECT_THAT(d.remove, IsEmpty());
  EXPECT_EQ(d.record.message, s.plan.runs[0].name + " is Running");
  EXPECT_EQ(d.requeue_after, seconds(3600)) << "its deadline";
}

TEST(Progress, TakesAResultAndDeletesItsTraining) {
  Situation s = situation();
  s.children = {measured_child(s, 0)};
  const Decision d = decide(s);
  ASSERT_EQ(d.record.results.size(), 1U);
  EXPECT_EQ(d.record.results[0].run, s.plan.runs[0].name);
  EXPECT_EQ(d.record.results[0].measured, make_measured(100));
  EXPECT_EQ(d.record.results[0].nodes, (std::vector<std::string>{"a", "b"}));
  EXPECT_THAT(d.remove, ElementsAre(s.plan.runs[0].name));
  EXPECT_FALSE(d.start) << "its nodes are not free yet";
  EXPECT_EQ(d.record.current, s.plan.runs[1].name);
}

TEST(Progress, StartsTheNextWhenTheOthersAreGone) {
  Situation s = situation();
  give_results(s, 1);
  s.children = {measured_child(s, 0)};
  s.children[0].deleted = true;
  EXPECT_FALSE(decide(s).start);
  EXPECT_THAT(decide(s).remove, IsEmpty());
  s.children.clear();
  EXPECT_EQ(decide(s).start, 1U);
}

TEST(Progress, RunsEachPointOnceWithStatelessDecisions) {
  // Each decision is by an operator that knows nothing but status and trainings.
  Situation s = situation();
  std::vector<std::string> started;
  for (int i = 0; i < 100 && s.record.phase != Phase::kSucceeded; ++i) {
    const Decision d = decide(s);
    Json status;
    write_record(d.record, status);
    s.record = read_record(status);
    std::erase_if(s.children,
                  [&](const Child& child) { return std::ranges::count(d.remove, child.name) > 0; });
    if (d.start) {
      started.push_back(s.plan.runs[*d.start].name);
      s.children.push_back(child_of(s, *d.start));
    } else if (!s.children.empty()) {
      s.children[0].phase = Phase::kSucceeded;
      s.children[0].measured = make_measured(100);
    }
  }
  std::vector<std::string> planned;
  for (const SweepRun& run : s.plan.runs) planned.push_back(run.name);
  EXPECT_EQ(started, planned);
  EXPECT_EQ(s.record.phase, Phase::kSucceeded);
  EXPECT_EQ(done_count(s.plan, s.record), 6);
}

TEST(Progress, RecordsAFailedRunAndContinues) {
  Situation s = situation();
  s.children = {child_of(s, 0, Phase::kFailed)};
  s.children[0].message = "exit code 65: truncated record";
  const Decision d = decide(s);
  EXPECT_FALSE(d.record.results.at(0).measured);
  EXPECT_EQ(d.record.results[0].message, "exit code 65: truncated record");
  EXPECT_EQ(d.record.phase, Phase::kRunning);
  EXPECT_THAT(d.events, ElementsAre(testing::Field(&Event::reason, "RunFailed")));
}

TEST(Progress, StopsAtAFailureIfThePolicySaysSo) {
  Situation s = situation({{"failurePolicy", "Stop"}});
  s.children = {child_of(s, 0, Phase::kFailed)};
  const Decision d = decide(s);
  EXPECT_EQ(d.record.phase, Phase::kFailed);
  EXPECT_EQ(d.record.message, "1 of 6 runs failed, and spec.failurePolicy is Stop");
  EXPECT_THAT(d.remove, ElementsAre(s.plan.runs[0].name));
  EXPECT_EQ(d.record.current, "");
}

TEST(Progress, LeavesNoTrainingBehindThatRunsWhenAnEditEndsTheSweep) {
  Situation s = situation();
  give_results(s, 2);
  s.record.results[0].measured.reset();
  s.children = {child_of(s, 2)};
  EXPECT_THAT(decide(s).remove, IsEmpty());
  s.plan = make_plan({{"failurePolicy", "Stop"}});
  const Decision d = decide(s);
  EXPECT_EQ(d.record.phase, Phase::kFailed);
  EXPECT_THAT(d.remove, ElementsAre(s.children[0].name));
  EXPECT_EQ(d.record.results.size(), 2U) << "it is measured again if the edit is taken back";
  s.children = {measured_child(s, 2)};
  EXPECT_EQ(decide(s).record.results.size(), 3U) << "it came to its end just in time";
}

TEST(Progress, ReportsAWorkerWithoutAWindow) {
  Situation s = situation();
  s.children = {child_of(s, 0, Phase::kSucceeded)};
  EXPECT_THAT(decide(s).record.results.at(0).message, HasSubstr("the worker reported no window"));
}

TEST(Progress, FailsARunWhoseTrainingWasEdited) {
  for (const Phase phase : {Phase::kRunning, Phase::kSucceeded}) {
    Situation s = situation();
    s.children = {measured_child(s, 0)};
    s.children[0].phase = phase;
    s.children[0].edited = true;
    const Decision d = decide(s);
    ASSERT_EQ(d.record.results.size(), 1U) << "it is of no use any more";
    EXPECT_FALSE(d.record.results[0].measured);
    EXPECT_THAT(d.record.results[0].message, HasSubstr("the spec of its GanTraining was edited"));
    EXPECT_THAT(d.remove, ElementsAre(s.plan.runs[0].name));
  }
}

TEST(Progress, FailsIfNothingWasMeasured) {
  Situation s = situation();
  give_results(s, 6);
  for (Result& result : s.record.results) result.measured.reset();
  EXPECT_EQ(decide(s).record.phase, Phase::kFailed);
  EXPECT_EQ(decide(s).record.reason, "NothingMeasured");
}

TEST(Progress, EndsARunThatTakesTooLong) {
  Situation s = situation({{"runDeadlineSeconds", 60}});
  s.children = {child_of(s, 0, Phase::kScheduling)};
  s.children[0].message = "0 of 1 workers running";
  s.now += seconds(59);
  EXPECT_THAT(decide(s).remove, IsEmpty());
  EXPECT_EQ(decide(s).requeue_after, seconds(1));
  s.now += seconds(1);
  const Decision d = decide(s);
  EXPECT_THAT(d.remove, ElementsAre(s.plan.runs[0].name));
  EXPECT_EQ(
      d.record.results.at(0).message,
      "took longer than spec.runDeadlineSeconds: 60 s; it was Scheduling: 0 of 1 workers running");
}

TEST(Progress, KeepsOnlyTheBeginningOfALongMessage) {
  for (const Phase phase : {Phase::kFailed, Phase::kScheduling}) {
    Situation s = situation({{"runDeadlineSeconds", 60}});
    s.children = {child_of(s, 0, phase)};
    s.children[0].message = std::string(1000, 'x');
    s.now += seconds(60);
    EXPECT_LT(decide(s).record.results.at(0).message.size(), 400U);
  }
}

TEST(Progress, GivesItsNodesBackWhileSuspended) {
  Situation s = situation({{"suspend", true}});
  give_results(s, 1);
  s.children = {child_of(s, 1)};
  s.record.current = s.plan.runs[1].name;
  const Decision d = decide(s);
  EXPECT_EQ(d.record.phase, Phase::kSuspended);
  EXPECT_EQ(d.record.current, "");
  EXPECT_THAT(d.remove, ElementsAre(s.plan.runs[1].name));
  EXPECT_EQ(d.record.results.size(), 1U) << "what is measured stays";
  s.children[0].phase = Phase::kSucceeded;
  s.children[0].measured = make_measured(100);
  EXPECT_EQ(decide(s).record.results.size(), 2U) << "it came to its end just in time";
}

TEST(Progress, AnEditLeavesNoTrainingOfTheOldSpecBehind) {
  Situation s = situation();
  give_results(s, 2);
  s.children = {child_of(s, 2)};
  s.plan = make_plan({{"measure", {{"steps", 30}}}});
  const Decision d = decide(s);
  EXPECT_THAT(d.record.results, IsEmpty());
  EXPECT_THAT(d.remove, ElementsAre(s.children[0].name));
  EXPECT_FALSE(d.start);
  EXPECT_THAT(d.events, ElementsAre(testing::Field(&Event::reason, "SpecChange")));
}

TEST(Progress, AnEditOfTheOrderLeavesTheRunThatIsThere) {
  Situation s = situation();
  s.children = {child_of(s, 0)};
  const std::string there = s.children[0].name;
  for (int seed = 2; s.plan.runs[0].name == there; ++seed) s.plan = make_plan({{"seed", seed}});
  const Decision d = decide(s);
  EXPECT_THAT(d.remove, IsEmpty());
  EXPECT_FALSE(d.start);
  EXPECT_EQ(d.record.current, there);
  EXPECT_EQ(d.record.reason, "Running");
  EXPECT_EQ(d.record.message, there + " is Running");
  EXPECT_EQ(d.requeue_after, seconds(3600)) << "its deadline";
}

TEST(Progress, AnEditKeepsResultsThatStillCount) {
  Situation s = situation();
  give_results(s, 6);
  s.record.phase = Phase::kSucceeded;
  s.plan = make_plan({{"repeats", 3}});
  const Decision d = decide(s);
  EXPECT_EQ(d.record.results.size(), 6U);
  EXPECT_EQ(d.record.phase, Phase::kRunning);
  EXPECT_TRUE(d.start);
}

TEST(Progress, ABadSpecEndsTheTrainingAndKeepsTheResults) {
  Situation s = situation();
  give_results(s, 2);
  s.children = {child_of(s, 2)};
  s.plan = {};
  s.problem_reason = "BadSpec";
  s.problem = "spec.mode: must be Strong, Weak or PerLabel: x";
  const Decision d = decide(s);
  EXPECT_EQ(d.record.phase, Phase::kPending);
  EXPECT_THAT(d.remove, ElementsAre(s.children[0].name));
  EXPECT_EQ(d.record.results.size(), 2U);
  EXPECT_THAT(d.events, ElementsAre(testing::Field(&Event::note, s.problem)));
  s.record = d.record;
  EXPECT_THAT(decide(s).events, IsEmpty()) << "it was reported";
}

TEST(Progress, WaitsForTrainingsOfAnEarlierSweepOfTheSameName) {
  Situation s = situation();
  s.children = {measured_child(s, 0)};
  s.children[0].owned = false;
  s.children[0].of_earlier_sweep = true;
  const Decision d = decide(s);
  EXPECT_FALSE(d.start);
  EXPECT_THAT(d.remove, IsEmpty());
  EXPECT_THAT(d.record.results, IsEmpty());
  EXPECT_EQ(d.record.reason, "Waiting");
}

TEST(Progress, DoesNotWaitForATrainingOfAnotherOwnerThatHasItsLabel) {
  Situation s = situation();
  s.children = {measured_child(s, 0)};
  s.children[0].owned = false;
  const Decision d = decide(s);
  EXPECT_EQ(d.start, 0U);
  EXPECT_THAT(d.remove, IsEmpty());
  EXPECT_THAT(d.record.results, IsEmpty());
  EXPECT_EQ(d.record.reason, "Running");
  s.children[0].deleted = true;
  EXPECT_FALSE(decide(s).start) << "its nodes are not free yet";
  EXPECT_EQ(decide(s).record.reason, "Waiting");
}

TEST(Progress, WaitsForItsOwnTrainingAndNamesItNextToOneOfAnotherOwner) {
  Situation s = situation();
  give_results(s, 1);
  s.children = {measured_child(s, 1), measured_child(s, 0)};
  s.children[0].owned = false;
  s.children[1].deleted = true;
  const Decision d = decide(s);
  EXPECT_FALSE(d.start);
  EXPECT_THAT(d.record.message, HasSubstr(s.children[1].name + " is being deleted"));
}

TEST(Progress, MakesNothingForASweepThatIsDeleted) {
  Situation s = situation();
  s.deleted = true;
  EXPECT_FALSE(decide(s).start);
  EXPECT_EQ(decide(s).record, s.record);
}

TEST(Progress, DeletesASweepAfterItsTimeToLive) {
  Situation s = situation({{"ttlSecondsAfterFinished", 60}});
  give_results(s, s.plan.runs.size());
  s.record.phase = Phase::kSucceeded;
  s.over_since = s.now - seconds(20);
  EXPECT_FALSE(decide(s).expired);
  EXPECT_EQ(decide(s).requeue_after, seconds(40));
  s.over_since = s.now - seconds(60);
  const Decision d = decide(s);
  EXPECT_TRUE(d.expired);
  EXPECT_EQ(d.events.at(0).reason, "Expired");
}

TEST(Progress, KeepsASweepThatIsNotOverOrHasNoTimeToLive) {
  Situation forever = situation();
  give_results(forever, forever.plan.runs.size());
  forever.record.phase = Phase::kSucceeded;
  forever.over_since = forever.now - seconds(1000000);
  EXPECT_FALSE(decide(forever).expired);
  Situation edited = situation({{"ttlSecondsAfterFinished", 0}});
  give_results(edited, 1);  // more points came
  edited.record.phase = Phase::kSucceeded;
  edited.over_since = edited.now;
  EXPECT_FALSE(decide(edited).expired);
  Situation ended = situation({{"ttlSecondsAfterFinished", 0}});
  give_results(ended, ended.plan.runs.size());
  ended.record.phase = Phase::kRunning;
  EXPECT_FALSE(decide(ended).expired) << "its end is stored first";
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
