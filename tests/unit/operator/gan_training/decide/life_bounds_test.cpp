#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "gan_training/decide/avoided.h"
#include "gan_training/decide/life.h"
#include "unit/operator/gan_training/decide/situations.h"

namespace ganscale::controller::gan_training {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(LifeBounds, LooksAgainAtTheFirstOfSeveralTimes) {
  Situation s = with_attempt(JobPhase::kCreated);
  s.attempt->started = kNow;
  s.attempt->lacks_pods = true;  // looks for them every ten seconds
  s.scheduling_deadline = seconds(60);
  EXPECT_EQ(decide(s).requeue_after, seconds(10));
  s.scheduling_deadline = seconds(5);
  EXPECT_EQ(decide(s).requeue_after, seconds(5));
}

TEST(LifeBounds, SpreadsTheNextTriesOverTheBackoff) {
  Situation s = with_attempt(JobPhase::kCreated);
  s.attempt->started = kNow - seconds(60);
  s.scheduling_deadline = seconds(60);
  std::set<seconds> delays;
  for (int i = 0; i < 1000; ++i) {
    s.attempt->uid = std::to_string(i);
    delays.insert(*decide(s).requeue_after);
  }
  EXPECT_EQ(delays.size(), 11U);
  EXPECT_EQ(*delays.begin(), seconds(10));
  EXPECT_EQ(*delays.rbegin(), seconds(20));
}

TEST(LifeBounds, WaitsForASpreadTryThoughNoBackoffIsThatLong) {
  Situation s = with_attempt(JobPhase::kCreated);
  s.attempt->started = kNow - seconds(60);
  s.scheduling_deadline = seconds(60);
  s.restart.max_backoff_seconds = s.restart.backoff_seconds;
  for (int i = 0; *decide(s).requeue_after < seconds(20); ++i) s.attempt->uid = std::to_string(i);
  Situation waits = accepted();
  waits.restart = s.restart;
  waits.record = decide(s).record;
  EXPECT_THAT(decide(waits).steps, IsEmpty());
  EXPECT_EQ(decide(waits).requeue_after, seconds(20));
  waits.now += seconds(20);
  EXPECT_THAT(decide(waits).steps, ElementsAre(Step::kStartAttempt));
}

TEST(LifeBounds, AvoidsTheLastNodesThatFailedAndNoMore) {
  Situation s = with_attempt(JobPhase::kFailed);
  s.attempt->exit_code = 71;
  s.attempt->failed_nodes = {"last"};
  s.restart.avoid_node_seconds = 600;
  for (std::size_t i = 0; i + 1 < kMostAvoided; ++i) {
    s.record.avoided.push_back({std::to_string(i), kNow + seconds(60)});
  }
  EXPECT_EQ(decide(s).record.avoided.size(), kMostAvoided);
  EXPECT_EQ(decide(s).record.avoided.front().name, "0");
  s.record.avoided.push_back({"one more", kNow + seconds(60)});
  EXPECT_EQ(decide(s).record.avoided.size(), kMostAvoided);
  EXPECT_EQ(decide(s).record.avoided.front().name, "1");
}

TEST(LifeBounds, ForgetsTheEndOfAnAttemptThatIsGone) {
  Situation s = accepted();
  s.record.attempt = 3;
  s.record.state = AttemptState::kEnded;
  s.record.ending = Ending{"Resize", kNow - seconds(60)};
  EXPECT_FALSE(decide(s).record.ending);
}

TEST(LifeBounds, IsSuspendedOnceItsAttemptIsGone) {
  Situation s = accepted();
  s.suspend = true;
  s.record.restart_at = kNow + seconds(60);
  const Decision d = decide(s);
  EXPECT_EQ(d.record.phase, Phase::kSuspended);
  EXPECT_EQ(d.record.reason, "Suspended");
  EXPECT_FALSE(d.record.restart_at);
  EXPECT_THAT(d.steps, IsEmpty());
}

TEST(LifeBounds, IsNotSuspendedWhileItsPodsMayWrite) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.attempt->control_port = 0;
  s.suspend = true;
  s.record = decide(s).record;
  EXPECT_EQ(s.record.state, AttemptState::kEnded);
  for (const bool has_job : {true, false}) {
    if (!has_job) s.attempt.reset();
    s.others = true;
    const Decision d = decide(s);
    EXPECT_EQ(d.record, s.record) << "it is told already";
    EXPECT_EQ(d.record.phase, Phase::kRunning);
    EXPECT_EQ(d.record.reason, "Suspending");
    EXPECT_EQ(d.requeue_after, seconds(2));
  }
  s.stuck = "waiting for the end of a-r3-worker-0";
  const Decision d = decide(s);
  EXPECT_THAT(d.events, ElementsAre(Event{true, "PodNotGone", s.stuck}));
  s.record = d.record;
  EXPECT_EQ(s.record.message, s.stuck);
  EXPECT_THAT(decide(s).events, IsEmpty());
  EXPECT_EQ(decide(s).record, s.record);
  s.stuck.clear();
  s.others = false;
  EXPECT_EQ(decide(s).record.phase, Phase::kSuspended);
}

TEST(LifeBounds, WaitsWithoutEndForAnAttemptThatTellsNoProgress) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.progress_deadline = seconds(600);
  s.record.progress = Progress{0, kNow - seconds(600)};
  EXPECT_EQ(decide(s).record.reason, "NoProgress");
  s.attempt->control_port = 0;
  EXPECT_EQ(decide(s).record.phase, Phase::kRunning);
  EXPECT_FALSE(decide(s).record.progress);
  EXPECT_THAT(decide(s).steps, IsEmpty());
}

TEST(LifeBounds, IsSuspendedThoughTheRestOfItsSpecIsRefused) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.problem_reason = "MissingConfigMap";
  s.problem = "spec.configFrom.name: no such ConfigMap: absent";
  s.suspend = true;
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kAskStop));
  s.attempt->phase = JobPhase::kSucceeded;
  s.record = decide(s).record;
  s.attempt.reset();
  EXPECT_EQ(decide(s).record.phase, Phase::kSuspended);
}

TEST(LifeBounds, LooksForAnObjectThatTheSpecNamesAndForNothingElse) {
  for (const bool is_suspended : {false, true}) {
    Situation s = accepted();
    s.suspend = is_suspended;
    s.problem = "no";
    for (const char* reason : {"MissingClaim", "MissingConfigMap"}) {
      s.problem_reason = reason;
      EXPECT_EQ(decide(s).requeue_after, seconds(10)) << reason;
    }
    s.problem_reason = "BadConfig";
    EXPECT_EQ(decide(s).requeue_after, std::nullopt);
  }
}

TEST(LifeBounds, SaysOnceThatTheSpecOfASuspendedTrainingIsRefused) {
  Situation s = accepted();
  s.suspend = true;
  s.problem_reason = "BadConfig";
  s.problem = "spec.config.training.bach: unknown";
  const Decision d = decide(s);
  EXPECT_EQ(d.record.phase, Phase::kSuspended);
  EXPECT_EQ(d.record.message, "spec.suspend is true; the spec is refused: " + s.problem);
  ASSERT_EQ(d.events.size(), 1U);
  EXPECT_EQ(d.events[0].reason, "BadConfig");
  EXPECT_EQ(d.events[0].note, s.problem);
  s.record = d.record;
  EXPECT_THAT(decide(s).events, IsEmpty());
  s.problem.clear();
  EXPECT_EQ(decide(s).record.message, "spec.suspend is true");
}

TEST(LifeBounds, SaysThatACheckpointIsWrittenOnlyIfThereIsSomethingToSave) {
  for (const JobPhase phase : {JobPhase::kCreated, JobPhase::kRunning, JobPhase::kSucceeded}) {
    Situation s = with_attempt(phase);
    s.deleted = true;
    EXPECT_EQ(decide(s).events.at(0).note,
              phase == JobPhase::kRunning
                  ? "the training is being deleted; writing a checkpoint first"
                  : "the training is being deleted");
  }
}

TEST(LifeBounds, LetsATrainingGoWhoseAttemptIsToStay) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.deleted = true;
  s.orphaned = true;
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kRemoveFinalizer)) << "it is not asked to stop";
  s.attempt.reset();
  s.others = true;
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kRemoveFinalizer)) << "its pods run on";
}

TEST(LifeBounds, SaysThatACommandPausedIt) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.attempt->workers_running = 8;
  EXPECT_EQ(decide(s).record.message, "8 of 8 workers running");
  s.paused = true;
  EXPECT_EQ(decide(s).record.message, "8 of 8 workers running; paused by a command");
}

/// A training that was edited while it ran, and then failed for good.
Situation failed_after_an_edit() {
  Situation s = with_attempt(JobPhase::kFailed);
  s.attempt->exit_code = 75;
  s.request = "2";  // of restartPolicy.maxRestarts: no pod is another
  s.restart.max_restarts = 0;
  s.record.failed_behind = "kimg-000200";
  s.record = decide(s).record;
  EXPECT_EQ(s.record.reason, "RestartLimit");
  return s;
}

TEST(LifeBounds, StartsAFailedTrainingAgainAfterAnyLaterEdit) {
  Situation s = failed_after_an_edit();
  EXPECT_EQ(decide(s).record.phase, Phase::kFailed) << "that edit was before its end";
  s.request = "3";
  const Decision d = decide(s);
  EXPECT_EQ(d.record.reason, "StartedAgain");
  EXPECT_EQ(d.record.failed_behind, "") << "its run folder may be a new one";
  s.record.phase = Phase::kSucceeded;
  EXPECT_EQ(decide(s).record.phase, Phase::kSucceeded) << "there is nothing left to train";
}

TEST(LifeBounds, DoesNotTrainAgainForAnEditThatChangedNoPodBeforeItsEnd) {
  Situation s = with_attempt(JobPhase::kSucceeded);
  s.request = s.attempt->request = "2";  // of restartPolicy: the MPIJob has been told
  s.hash = "h2";                         // another version of the operator makes other pods
  s.record = decide(s).record;
  EXPECT_EQ(s.record.phase, Phase::kSucceeded);
  EXPECT_EQ(decide(s).record.phase, Phase::kSucceeded);
  s.request = "3";
  s.hash = "h3";
  EXPECT_EQ(decide(s).record.reason, "StartedAgain");
}

TEST(LifeBounds, DoesNotTrainAgainOnceItIsNoLongerSuspended) {
  Situation s = with_attempt(JobPhase::kSucceeded);
  s.record.phase = Phase::kSucceeded;
  s.suspend = true;
  s.request = "2";
  s.record = decide(s).record;
  s.hash = "h2";  // another version of the operator makes other pods
  s.record = decide(s).record;
  s.suspend = false;
  s.request = "3";
  EXPECT_EQ(decide(s).record.phase, Phase::kSucceeded);
  s.suspend = true;  // with an edit of its pods, which waits
  s.hash = "h3";
  s.record = decide(s).record;
  EXPECT_EQ(s.record.phase, Phase::kSucceeded);
  s.suspend = false;
  s.request = "4";
  EXPECT_EQ(decide(s).record.reason, "StartedAgain");
}

TEST(LifeBounds, EndsAnAttemptThoughAnEditIsRefusedBeforeItsMpiJobIsDeleted) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.record.state = AttemptState::kEnded;  // stored by an operator that was killed then
  s.problem_reason = "BadConfig";
  s.problem = "spec.config.training.bach: unknown";
  EXPECT_EQ(decide(s).record.phase, Phase::kPending);
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kDeleteAttempts));
  s.attempt.reset();
  EXPECT_THAT(decide(s).steps, IsEmpty());
  s.others = true;
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kDeleteAttempts));
}

TEST(LifeBounds, DoesNotTakeAnOldRecordForAnEdit) {
  Situation s = failed_after_an_edit();
  s.record.request.clear();
  EXPECT_EQ(decide(s).record.phase, Phase::kFailed);
  EXPECT_EQ(decide(s).record.request, "2");
}

TEST(LifeBounds, EndsAnAttemptThatWasAskedToStopThoughTheEditWasTakenBack) {
  for (const bool is_suspended : {true, false}) {
    Situation s = with_attempt(JobPhase::kRunning);
    Situation edited = s;
    edited.suspend = is_suspended;
    edited.request = "2";
    if (!is_suspended) edited.hash = "h2";
    s.restart.max_restarts = 0;
    s.record = decide(edited).record;
    ASSERT_TRUE(s.record.ending);
    s.request = "3";
    const Decision d = decide(s);
    EXPECT_EQ(d.record.ending, s.record.ending) << "its deadline stays";
    EXPECT_EQ(d.record.phase, Phase::kRestarting);
    EXPECT_THAT(d.steps, ElementsAre(Step::kAskStop));
    s.record = d.record;
    EXPECT_EQ(decide(s).record, s.record);
    s.attempt->phase = JobPhase::kFailed;
    s.attempt->exit_code = 143;
    s.record = decide(s).record;
    EXPECT_EQ(s.record.state, AttemptState::kEnded);
    EXPECT_EQ(s.record.restarts, 0);
    s.attempt.reset();
    EXPECT_THAT(decide(s).steps, ElementsAre(Step::kStartAttempt)) << "without a backoff";
  }
}

TEST(LifeBounds, EndsAnAttemptThatWasAskedToStopThoughTheNextEditIsRefused) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.record.ending = Ending{"Resize", kNow};
  s.problem_reason = "BadConfig";
  s.problem = "spec.config.training.bach: unknown";
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kAskStop));
  Situation vanished = s;
  vanished.attempt.reset();
  EXPECT_FALSE(decide(vanished).record.ending);
  EXPECT_EQ(decide(vanished).record.state, AttemptState::kEnded);
  s.attempt->lost = "a-r3-worker-0: deleted";
  s.record = decide(s).record;
  s.attempt.reset();
  EXPECT_EQ(decide(s).record.phase, Phase::kPending);
}

TEST(LifeBounds, EndsAnAttemptWithoutAControlPortAtOnce) {
  for (const bool is_suspended : {true, false}) {
    Situation s = with_attempt(JobPhase::kRunning);
    s.attempt->control_port = 0;
    s.suspend = is_suspended;
    if (!is_suspended) s.attempt->leaving = "a-r3-worker-5: its node is cordoned: dgx-5";
    const Decision d = decide(s);
    EXPECT_THAT(d.steps, ElementsAre(Step::kDeleteAttempts)) << "its pods write the checkpoint";
    EXPECT_EQ(d.record.state, AttemptState::kEnded);
    for (const Event& event : d.events) {
      EXPECT_FALSE(event.warning) << event.note;
      EXPECT_THAT(event.note, testing::Not(testing::HasSubstr("checkpoint")));
    }
  }
}

TEST(LifeBounds, EndsAnAttemptThatWasMadeBeforeTheLastEdit) {
  Situation s = with_attempt(JobPhase::kCreated);
  s.record.state = AttemptState::kWanted;
  s.request = s.record.request = "2";  // stored, and then the MPIJob of the edit was refused
  s.hash = s.record.hash = "h2";
  const Decision d = decide(s);
  EXPECT_EQ(d.record.reason, "SpecChange");
  EXPECT_THAT(d.steps, ElementsAre(Step::kDeleteAttempts));
  s.request = "1";  // it was made by another version, of the same spec
  s.record.request = "1";
  EXPECT_THAT(decide(s).steps, IsEmpty());
  EXPECT_EQ(decide(s).record.hash, "h2");
}

TEST(LifeBounds, LeavesAnAttemptAloneWhoseMpiJobKnowsAnEditThatTheRecordDoesNot) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.request = s.attempt->request = "2";  // as older versions of the operator left it
  s.hash = "h2";
  s.record = decide(s).record;
  EXPECT_EQ(s.record.phase, Phase::kRunning);
  s.request = "3";
  EXPECT_THAT(decide(s).steps, IsEmpty());
  s.hash = "h3";
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kAskStop));
}

TEST(LifeBounds, ComparesAnEditWithTheLastThatWasNotRefused) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.hash = "h2";  // another version of the operator makes other pods
  s.record = decide(s).record;
  Situation refused = s;
  refused.request = refused.hash = "";
  refused.problem_reason = "BadConfig";
  refused.problem = "spec.config.training.bach: unknown";
  s.record = decide(refused).record;
  s.request = "3";
  EXPECT_THAT(decide(s).steps, IsEmpty());
  s.hash = "h3";
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kAskStop));
}

TEST(LifeBounds, CountsNoFailureIfTheMpiJobGoesThatWasToEnd) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.attempt->deleted = true;
  s.record.ending = Ending{"Disruption", kNow};
  s.restart.max_restarts = 0;
  const Decision d = decide(s);
  EXPECT_EQ(d.record.state, AttemptState::kEnded);
  EXPECT_EQ(d.record.failures, 0);
  EXPECT_EQ(d.record.restarts, 1);
  EXPECT_FALSE(d.record.ending);
}

TEST(LifeBounds, CountsFailuresAnewOnOtherStorage) {
  Situation s = accepted();
  s.record.attempt = 3;
  s.record.state = AttemptState::kEnded;
  s.record.failures = 1;
  s.record.failed_behind = "kimg-000400";
  for (const char* storage : {"", "runs", "runs/a"}) {
    s.record.storage = s.storage = storage;
    EXPECT_EQ(decide(s).record.failures, 1) << storage;
    EXPECT_EQ(decide(s).record.failed_behind, "kimg-000400") << storage;
  }
  s.record.storage.clear();  // of an older version
  EXPECT_EQ(decide(s).record.failures, 1);
  EXPECT_EQ(decide(s).record.storage, "runs/a");
  for (const char* other : {"", "runs", "runs/b"}) {
    s.record.storage = "runs/a";
    s.storage = other;
    EXPECT_EQ(decide(s).record.failures, 0) << other;
    EXPECT_EQ(decide(s).record.failed_behind, "") << other;
    EXPECT_EQ(decide(s).record.storage, other);
  }
}

TEST(LifeBounds, DoesNotTakeAnOlderCheckpointForProgress) {
  Situation s = with_attempt(JobPhase::kFailed);
  s.attempt->exit_code = 75;
  s.restart.max_restarts = 1;
  s.record.failures = 1;
  s.record.failed_behind = "kimg-000400";
  for (const char* checkpoint : {"kimg-000200", "kimg-000400", ""}) {
    s.checkpoint = checkpoint;
    EXPECT_EQ(decide(s).record.reason, "RestartLimit") << checkpoint;
    EXPECT_EQ(decide(s).record.failed_behind, "kimg-000400") << checkpoint;
  }
  s.checkpoint = "kimg-000400.064";
  EXPECT_EQ(decide(s).record.failures, 1);
  EXPECT_EQ(decide(s).record.failed_behind, s.checkpoint);
}

}  // namespace
}  // namespace ganscale::controller::gan_training
