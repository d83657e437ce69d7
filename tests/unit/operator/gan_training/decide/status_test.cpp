#include "gan_training/decide/status.h"

#include <gtest/gtest.h>

#include "object/condition.h"
#include "support/kstatus.h"

namespace ganscale::controller::gan_training {
namespace {

Json condition(const Json& status, const std::string& type) {
  for (const Json& entry : status["conditions"]) {
    if (entry["type"] == type) return entry;
  }
  return {};
}

Facts facts(int second) {
  Facts f;
  f.generation = 4;
  f.model = "dcgan";
  f.nodes = 2;
  f.gpus = 16;
  f.ranks = 16;
  f.now = Time(std::chrono::seconds(1750000000 + second));
  return f;
}

TEST(Status, ShowsTheWorkersNumbersAndKeepsThemAfterItsEnd) {
  Facts with = facts(0);
  with.worker.emplace();
  with.worker->images_seen = 4210400;
  with.worker->total_images = 25000000;
  with.worker->seconds_per_kimg = 2.31499;
  with.worker->images_per_second = 431.967;
  with.worker->fid = 7.891;
  with.worker->last_checkpoint = wire::LastCheckpoint{"kimg-004200", 1750000000};
  const Json status = next_status({}, Record{}, with);
  EXPECT_EQ(status["kimg"], 4210.4);
  EXPECT_EQ(status["progressPercent"], 16.8);
  EXPECT_EQ(status["secondsPerKimg"], 2.315);
  EXPECT_EQ(status["imagesPerSecond"], 432.0);
  EXPECT_EQ(status["fid"], 7.89);
  EXPECT_EQ(status["lastCheckpoint"]["time"], "2025-06-15T15:06:40Z");
  EXPECT_EQ(condition(status, "Checkpointed")["status"], "True");
  EXPECT_EQ(next_status(status, Record{}, facts(9))["kimg"], 4210.4);
}

TEST(Status, TakesAModelThatTheConfigurationDoesNotNameFromTheWorker) {
  Facts f = facts(0);
  f.model.clear();
  EXPECT_FALSE(next_status({}, Record{}, f).contains("model"));
  f.worker.emplace();
  EXPECT_FALSE(next_status({}, Record{}, f).contains("model")) << "nor does an older worker";
  f.worker->model = "stylegan2";
  const Json status = next_status({}, Record{}, f);
  EXPECT_EQ(status["model"], "stylegan2");
  f.worker.reset();
  EXPECT_EQ(next_status(status, Record{}, f)["model"], "stylegan2");
}

TEST(Status, IsNotReadyWhileItsAttemptIsBeingStopped) {
  Record record;
  record.phase = Phase::kRunning;
  EXPECT_EQ(condition(next_status({}, record, facts(0)), "Ready")["status"], "True");
  record.ending = Ending{"Suspend", facts(0).now};
  record.reason = "Suspending";
  const Json ready = condition(next_status({}, record, facts(0)), "Ready");
  EXPECT_EQ(ready["status"], "False");
  EXPECT_EQ(ready["reason"], "Suspending");
}

TEST(Status, ForgetsProgressWithItsPodsOnceTheNextAttemptStarts) {
  const Json progress = {{"lastCheckpoint", {{"name", "kimg-000200"}}},
                         {"kimg", 200.5},
                         {"progressPercent", 20.1},
                         {"etaSeconds", 3600},
                         {"fid", 7.9}};
  Json old = {{"attempt", {{"number", 1}}}, {"secondsPerKimg", 2.3}};
  old.update(progress);
  const auto kept = [&](const Record& record) {
    const Json status = next_status(old, record, facts(0));
    EXPECT_EQ(status["secondsPerKimg"], 2.3);
    Json result = Json::object();
    for (const auto& [key, value] : progress.items()) {
      if (status.contains(key)) result[key] = status[key];
    }
    return result;
  };
  Record without;
  without.attempt = 1;
  EXPECT_EQ(kept(without), progress);
  without.attempt = 2;
  Record with = without;
  with.storage = "runs";
  EXPECT_EQ(kept(with), progress);
  EXPECT_EQ(kept(without), Json::object());
  const Json status = next_status(old, without, facts(0));
  EXPECT_EQ(condition(status, "Checkpointed")["status"], "False");
}

TEST(Status, ShowsNoProgressWithoutAGoalAndNoMoreThanAll) {
  Facts f = facts(0);
  f.worker.emplace();
  f.worker->images_seen = 14496;
  EXPECT_FALSE(next_status({}, Record{}, f).contains("progressPercent"));
  f.worker->total_images = 12000;  // edited after it had done more
  EXPECT_EQ(next_status({}, Record{}, f)["progressPercent"], 100.0);
}

TEST(Status, ShowsWhatWasMeasuredAndWhere) {
  Facts f = facts(0);
  f.attempt.emplace();
  f.attempt->nodes = 2;
  f.attempt->workers_running = 2;
  f.attempt->node_names = {"b", "a"};
  f.attempt->image_id = "x@sha256:1";
  f.worker.emplace();
  f.worker->measured = wire::Measurement{.steps = 20, .images = 640, .seconds = 4};
  const Json status = next_status({}, Record{}, f);
  EXPECT_EQ(status["measured"]["imagesPerSecond"], 160.0);
  EXPECT_EQ(status["measured"]["steps"], 20);
  EXPECT_EQ(status["nodeNames"], (Json::array({"a", "b"})));
  EXPECT_EQ(status["imageID"], "x@sha256:1");
  f.attempt->workers_running = 1;  // its pods are going
  f.attempt->node_names = {"a"};
  EXPECT_EQ(next_status(status, Record{}, f)["nodeNames"].size(), 2U);
}

TEST(Status, SaysWhetherTheFabricIsReady) {
  Record record;
  EXPECT_TRUE(condition(next_status({}, record, facts(0)), "FabricReady").is_null());
  record.preflight = wire::Preflight{.measured_unix_seconds = 1750000000};
  EXPECT_EQ(condition(next_status({}, record, facts(0)), "FabricReady")["status"], "True");
  record.preflight->message = "9 GB/s";
  Json told = condition(next_status({}, record, facts(0)), "FabricReady");
  EXPECT_EQ(told["status"], "False");
  EXPECT_EQ(told["reason"], "FabricBelowFloor");
  EXPECT_EQ(told["message"], "9 GB/s");
  record.fabric_accepted = true;
  told = condition(next_status({}, record, facts(0)), "FabricReady");
  EXPECT_EQ(told["reason"], "Accepted");
  EXPECT_EQ(told["message"], "trains nevertheless: 9 GB/s");
  record.avoided = {{"dgx-0", Time(std::chrono::seconds(1750000030))},
                    {"dgx-1", Time(std::chrono::seconds(1750000060)), /*for_fabric=*/true},
                    {"dgx-2", Time(std::chrono::seconds(1750000090)), /*for_fabric=*/true}};
  Facts waiting = facts(0);
  waiting.attempt.emplace();
  waiting.attempt->waits_reason = "Unschedulable";
  record.fabric_accepted = false;
  told = condition(next_status({}, record, waiting), "FabricReady");
  EXPECT_EQ(told["reason"], "TooFewNodes");
  EXPECT_EQ(told["message"],
            "waits until 2025-06-15T15:07:40Z for nodes that it does not avoid, "
            "then trains on the others: 9 GB/s");
}

TEST(Status, SaysWhetherTheTrainingGoesOn) {
  const auto progresses = [](Phase phase) {
    Record record;
    record.phase = phase;
    return condition(next_status({}, record, facts(0)), "Progressing")["status"];
  };
  EXPECT_EQ(progresses(Phase::kScheduling), "True");
  EXPECT_EQ(progresses(Phase::kRunning), "True");
  EXPECT_EQ(progresses(Phase::kSuspended), "False");
  EXPECT_EQ(progresses(Phase::kSucceeded), "False");
}

TEST(Status, IsTheSameWhileNothingChanges) {
  const Json status = next_status({}, Record{}, facts(0));
  EXPECT_EQ(next_status(status, Record{}, facts(60)), status);
}

TEST(Status, ChangesTheTimeOfAConditionWithItsStatusAlone) {
  Record record;
  record.phase = Phase::kScheduling;
  const Json before = next_status({}, record, facts(0));
  record.phase = Phase::kRunning;
  const Json after = next_status(before, record, facts(60));
  EXPECT_EQ(condition(after, "Running")["status"], "True");
  EXPECT_EQ(condition(after, "Running")["lastTransitionTime"], "2025-06-15T15:07:40Z");
  EXPECT_EQ(condition(after, "Validated")["lastTransitionTime"], "2025-06-15T15:06:40Z");
}

TEST(Status, KeepsUnknownFields) {
  const Json old = {{"newer", 1},
                    {"conditions", Json::array({{{"type", "Newer"}, {"status", "True"}}})}};
  const Json status = next_status(old, Record{}, facts(0));
  EXPECT_EQ(status["newer"], 1);
  EXPECT_EQ(condition(status, "Newer")["status"], "True");
}

TEST(Status, OfARefusedSpecNamesTheProblem) {
  Facts refused = facts(0);
  refused.problem_reason = "BadConfig";
  refused.problem = "spec.config.training.batch: no";
  const Json status = next_status({}, Record{}, refused);
  EXPECT_EQ(condition(status, "Validated")["status"], "False");
  EXPECT_EQ(condition(status, "Validated")["message"], "spec.config.training.batch: no");
}

TEST(Status, IsOneThatKstatusUnderstands) {
  const auto says = [](Phase phase, const std::string& problem_reason) {
    Record record;
    record.phase = phase;
    Facts f = facts(0);
    f.problem_reason = problem_reason;
    f.problem = problem_reason;
    return kstatus({{"metadata", {{"generation", 4}}}, {"status", next_status({}, record, f)}});
  };
  EXPECT_EQ(says(Phase::kScheduling, ""), "InProgress");
  EXPECT_EQ(says(Phase::kRunning, ""), "Current");
  EXPECT_EQ(says(Phase::kSucceeded, ""), "Current");
  EXPECT_EQ(says(Phase::kFailed, ""), "Failed");
  EXPECT_EQ(says(Phase::kPending, "UnknownProfile"), "Failed");
  EXPECT_EQ(says(Phase::kPending, "MissingClaim"), "InProgress");
}

TEST(Status, IsStalledIfTheServerRefusesWhatWasMadeOfTheSpec) {
  Record record;
  record.phase = Phase::kValidated;
  Json old = Json::object();
  set_condition(old, {"Reconciled", false, "Invalid", "MPIJob: quantities must match"}, 4,
                facts(0).now);
  const Json status = next_status(old, record, facts(0));
  EXPECT_EQ(condition(status, "Stalled")["status"], "True");
  EXPECT_EQ(condition(status, "Stalled")["message"], "MPIJob: quantities must match");
  EXPECT_EQ(condition(status, "Ready")["reason"], "Invalid");
  EXPECT_EQ(condition(status, "Validated")["status"], "True");
  Facts edited = facts(0);
  edited.generation = 5;
  EXPECT_EQ(condition(next_status(status, record, edited), "Stalled")["status"], "False");
}

TEST(WaitingTime, CountsFromTheLastChangeUntilTheTrainingRuns) {
  Json training = {{"metadata", {{"creationTimestamp", "2025-06-15T15:06:40Z"}}}};
  const auto waits = [&](int second) { return waiting_time(training, facts(second).now).count(); };
  EXPECT_EQ(waits(7), 7);
  EXPECT_EQ(waits(-7), 0) << "the clock was set back";
  Record record;
  record.phase = Phase::kScheduling;
  training["status"] = next_status({}, record, facts(10));
  EXPECT_EQ(waits(40), 30);
  record.phase = Phase::kRunning;
  training["status"] = next_status(training["status"], record, facts(50));
  EXPECT_EQ(waits(5000), 0);
  for (const Phase phase : {Phase::kResizing, Phase::kRestarting, Phase::kScheduling}) {
    record.phase = phase;
    training["status"] = next_status(training["status"], record, facts(5000));
    EXPECT_EQ(waits(5060), 60) << name_in(kPhases, phase);
  }
  for (const Phase phase : {Phase::kSuspended, Phase::kSucceeded, Phase::kFailed}) {
    record.phase = phase;
    training["status"] = next_status(training["status"], record, facts(5000));
    EXPECT_EQ(waits(5060), 0) << name_in(kPhases, phase);
  }
}

}  // namespace
}  // namespace ganscale::controller::gan_training
