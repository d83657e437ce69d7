#include "gan_training/decide/life.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/operator/gan_training/decide/situations.h"

namespace ganscale::controller::gan_training {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Life, TakesTheNumberOfAnAttemptBeforeMakingIt) {
  const Decision d = decide(accepted());
  EXPECT_EQ(d.record.attempt, 1);
  EXPECT_EQ(d.record.state, AttemptState::kWanted);
  EXPECT_THAT(d.steps, ElementsAre(Step::kStartAttempt));
}

TEST(Life, MakesTheSameAttemptAfterACrashInBetween) {
  Situation s = accepted();
  s.record = decide(s).record;
  const Decision d = decide(s);
  EXPECT_EQ(d.record, s.record);
  EXPECT_THAT(d.steps, ElementsAre(Step::kStartAttempt));
  EXPECT_THAT(d.events, IsEmpty());
}

TEST(Life, NeverStartsWhileSomethingOfAnotherAttemptIsLeft) {
  Situation s = accepted();
  s.others = true;
  const Decision d = decide(s);
  EXPECT_EQ(d.record.attempt, 0);
  EXPECT_THAT(d.steps, ElementsAre(Step::kDeleteAttempts));
  EXPECT_TRUE(d.requeue_after);
}

TEST(Life, SaysOnceWhichPodItWaitsForThatDoesNotEnd) {
  Situation s = accepted();
  s.others = true;
  s.stuck = "waiting for the end of a-r1-worker-0";
  const Decision d = decide(s);
  EXPECT_EQ(d.record.reason, "PodNotGone");
  EXPECT_EQ(d.record.message, s.stuck);
  EXPECT_THAT(d.events, ElementsAre(Event{true, "PodNotGone", s.stuck}));
  s.record = d.record;
  EXPECT_THAT(decide(s).events, IsEmpty());
  EXPECT_EQ(decide(s).record, s.record);
}

TEST(Life, FollowsTheJob) {
  EXPECT_EQ(decide(with_attempt(JobPhase::kCreated)).record.phase, Phase::kScheduling);
  EXPECT_EQ(decide(with_attempt(JobPhase::kQueued)).record.reason, "Queued");
  EXPECT_EQ(decide(with_attempt(JobPhase::kRunning)).record.phase, Phase::kRunning);
  EXPECT_EQ(decide(with_attempt(JobPhase::kSucceeded)).record.phase, Phase::kSucceeded);
  EXPECT_THAT(decide(with_attempt(JobPhase::kRunning)).steps, IsEmpty());
}

TEST(Life, SaysWhyTheWorkersDoNotRun) {
  Situation s = with_attempt(JobPhase::kCreated);
  s.attempt->waits_reason = "Unschedulable";
  s.attempt->waits = "a-r3-worker-0: Unschedulable: 0/8 nodes are available";
  const Decision d = decide(s);
  EXPECT_EQ(d.record.reason, "Unschedulable");
  EXPECT_EQ(d.record.message,
            "0 of 8 workers running; a-r3-worker-0: Unschedulable: 0/8 nodes are available");
}

TEST(Life, LooksAgainForPodsThatAreNotThere) {
  Situation s = with_attempt(JobPhase::kCreated);
  s.attempt->lacks_pods = true;
  s.attempt->waits_reason = "QuotaExceeded";
  s.attempt->waits = "exceeded quota: gpus";
  EXPECT_EQ(decide(s).record.reason, "QuotaExceeded");
  EXPECT_EQ(decide(s).record.message, "0 of 8 workers running; exceeded quota: gpus");
  EXPECT_EQ(decide(s).requeue_after, seconds(10));
}

TEST(Life, GivesItsNodesBackWhenItDoesNotGetAllOfThemInTime) {
  Situation s = with_attempt(JobPhase::kCreated);
  s.attempt->started = kNow - seconds(50);
  s.attempt->workers_running = 7;
  EXPECT_EQ(decide(s).requeue_after, std::nullopt) << "there is no deadline by default";
  s.scheduling_deadline = seconds(60);
  EXPECT_EQ(decide(s).requeue_after, seconds(10));
  s.now += seconds(10);
  const Decision d = decide(s);
  EXPECT_EQ(d.record.reason, "SchedulingDeadline");
  EXPECT_THAT(d.steps, ElementsAre(Step::kDeleteAttempts));
  EXPECT_EQ(d.record.restarts, 0);
  EXPECT_EQ(d.record.failures, 0);
  EXPECT_GE(*d.record.restart_at, s.now + seconds(10));
  EXPECT_LE(*d.record.restart_at, s.now + seconds(20));
  s.attempt->phase = JobPhase::kQueued;  // it holds no nodes
  EXPECT_THAT(decide(s).steps, IsEmpty());
}

TEST(Life, RestartsATrainingThatMakesNoProgress) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.progress_deadline = seconds(600);
  s.images_seen = 6400;
  s.record = decide(s).record;
  EXPECT_EQ(s.record.progress, (Progress{6400, kNow}));
  s.now += seconds(599);
  EXPECT_EQ(decide(s).requeue_after, seconds(1));
  Situation another = s;
  another.images_seen = 6464;
  EXPECT_EQ(decide(another).record.progress, (Progress{6464, s.now}));
  Situation paused = s;
  paused.paused = true;
  EXPECT_FALSE(decide(paused).record.progress);
  s.now += seconds(1);
  const Decision d = decide(s);
  EXPECT_EQ(d.record.reason, "NoProgress");
  EXPECT_EQ(d.record.message, "no further image within 600 s, after 6400");
  EXPECT_EQ(d.record.failures, 1);
  EXPECT_FALSE(d.record.progress);
  EXPECT_THAT(d.steps, ElementsAre(Step::kDeleteAttempts));
  s.progress_deadline.reset();
  EXPECT_THAT(decide(s).steps, IsEmpty());
}

TEST(Life, ReturnsToTheQueueThatTookItsNodes) {
  Situation s = with_attempt(JobPhase::kQueued);
  s.attempt->suspended = true;
  const Decision d = decide(s);  // it ran
  EXPECT_EQ(d.record.reason, "Preempted");
  EXPECT_EQ(d.record.state, AttemptState::kEnded);
  EXPECT_EQ(d.record.restarts, 0);  // nothing failed
  EXPECT_THAT(d.steps, ElementsAre(Step::kDeleteAttempts));
  EXPECT_THAT(d.events, ElementsAre(testing::Field(&Event::reason, "Preempted")));
  s.record.phase = Phase::kScheduling;  // it waits for the first time
  EXPECT_EQ(decide(s).record.reason, "Queued");
  EXPECT_THAT(decide(s).steps, IsEmpty());
}

TEST(Life, ResizesByACheckpointFirst) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.nodes = 4;
  s.request = "2";
  s.hash = "h2";
  const Decision asked = decide(s);
  EXPECT_EQ(asked.record.phase, Phase::kResizing);
  EXPECT_THAT(asked.steps, ElementsAre(Step::kAskStop));
  EXPECT_EQ(asked.record.ending, (Ending{"Resize", kNow}));

  s.record = asked.record;
  s.now = kNow + seconds(60);
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kAskStop));
  s.attempt->phase = JobPhase::kSucceeded;  // it wrote its checkpoint and ended
  const Decision ended = decide(s);
  EXPECT_THAT(ended.steps, ElementsAre(Step::kDeleteAttempts));
  EXPECT_EQ(ended.record.state, AttemptState::kEnded);

  s.record = ended.record;
  s.attempt.reset();
  const Decision next = decide(s);
  EXPECT_EQ(next.record.attempt, 4);
  EXPECT_EQ(next.record.restarts, 0);
  EXPECT_THAT(next.steps, ElementsAre(Step::kStartAttempt));
}

TEST(Life, WaitsForACheckpointUntilTheDeadlineAlone) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.suspend = true;
  s.record = decide(s).record;
  s.now = kNow + s.checkpoint_deadline;
  const Decision d = decide(s);
  EXPECT_THAT(d.steps, ElementsAre(Step::kDeleteAttempts));
  EXPECT_TRUE(d.events.front().warning);
}

TEST(Life, WarnsOfALastCheckpointThatWasNotWritten) {
  Situation s = with_attempt(JobPhase::kFailed);
  s.suspend = true;
  s.record.ending = Ending{"Suspend", kNow};
  s.attempt->exit_code = 65;
  s.attempt->message = "the last checkpoint could not be written: /runs/a: no space left";
  const Decision d = decide(s);
  EXPECT_THAT(d.steps, ElementsAre(Step::kDeleteAttempts));
  EXPECT_THAT(d.events, ElementsAre(Event{true, "CheckpointFailed",
                                          "a-r3 was asked to stop (Suspend) and may lack its last "
                                          "checkpoint: exit code 65: " +
                                              s.attempt->message}));
  s.attempt->phase = JobPhase::kRunning;
  s.attempt->exit_code.reset();
  s.attempt->lost = "a-r3-worker-5: Evicted";
  EXPECT_EQ(decide(s).events.at(0).reason, "CheckpointFailed");
}

TEST(Life, WarnsOfNoCheckpointThatWasWrittenOrNotAskedFor) {
  Situation s = with_attempt(JobPhase::kFailed);
  s.suspend = true;
  s.attempt->exit_code = 65;
  EXPECT_EQ(decide(s).events.back().reason, "AttemptEnded") << "it failed before";
  s.record.ending = Ending{"Suspend", kNow};
  s.attempt->exit_code = 143;
  EXPECT_EQ(decide(s).events.back().reason, "AttemptEnded");
  s.attempt->phase = JobPhase::kSucceeded;
  EXPECT_EQ(decide(s).events.back().reason, "AttemptEnded");
  s = with_attempt(JobPhase::kRunning);
  s.record.ending = Ending{"Disruption", kNow};
  s.attempt->lost = "a-r3-worker-5: disrupted: evicting";  // before its launcher is seen to end
  EXPECT_EQ(decide(s).events.back().reason, "AttemptEnded");
}

TEST(Life, IsNotHeldUpByAClockThatWasSetBack) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.suspend = true;
  s.record.ending = Ending{"Suspend", kNow + seconds(86400)};
  EXPECT_EQ(decide(s).record.ending->since, kNow);
  Situation waits = accepted();
  waits.record.attempt = 1;
  waits.record.state = AttemptState::kEnded;
  waits.record.restart_at = kNow + seconds(86400);
  EXPECT_THAT(decide(waits).steps, ElementsAre(Step::kStartAttempt));
}

TEST(Life, DoesNotAskForACheckpointBeforeTheStart) {
  Situation s = with_attempt(JobPhase::kCreated);
  s.suspend = true;
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kDeleteAttempts));
}

TEST(Life, RestartsAfterABackoff) {
  Situation s = with_attempt(JobPhase::kFailed);
  s.attempt->exit_code = 75;
  const Decision failed = decide(s);
  EXPECT_EQ(failed.record.phase, Phase::kRestarting);
  EXPECT_EQ(failed.record.restarts, 1);
  EXPECT_EQ(failed.record.restart_at, kNow + seconds(10));
  EXPECT_THAT(failed.steps, ElementsAre(Step::kDeleteAttempts));
  s.record = failed.record;
  s.attempt.reset();
  EXPECT_THAT(decide(s).steps, IsEmpty());
  EXPECT_EQ(decide(s).requeue_after, seconds(10));
  s.now += seconds(10);
  EXPECT_EQ(decide(s).record.attempt, 4);
}

TEST(Life, CountsFailuresSinceTheLastCheckpoint) {
  Situation s = with_attempt(JobPhase::kFailed);
  s.attempt->exit_code = 75;
  s.restart.max_restarts = 2;
  s.record.restarts = 40;
  s.checkpoint = "kimg-000200";
  s.record = decide(s).record;
  EXPECT_EQ(s.record.failures, 1);
  EXPECT_EQ(s.record.restarts, 41);
  EXPECT_EQ(s.record.restart_at, kNow + seconds(10)) << "the first after a checkpoint";
  s.record.state = AttemptState::kLive;
  s.record = decide(s).record;
  EXPECT_EQ(s.record.failures, 2);
  s.record.state = AttemptState::kLive;
  EXPECT_EQ(decide(s).record.phase, Phase::kFailed);
  EXPECT_EQ(decide(s).record.reason, "RestartLimit");
  s.checkpoint = "kimg-000400";
  EXPECT_EQ(decide(s).record.phase, Phase::kRestarting);
  EXPECT_EQ(decide(s).record.failures, 1);
}

TEST(Life, RestartsAfterADisruptionHoweverManyThereWere) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.attempt->lost = "a-r3-worker-5: disrupted: drained";
  s.attempt->disrupted = true;
  s.restart.max_restarts = 0;
  const Decision d = decide(s);
  EXPECT_EQ(d.record.phase, Phase::kRestarting);
  EXPECT_EQ(d.record.failures, 0);
  EXPECT_EQ(d.record.restarts, 1);
  s.attempt->disrupted = false;
  EXPECT_EQ(decide(s).record.phase, Phase::kFailed);
}

TEST(Life, LeavesANodeThatIsToBeDrainedWithACheckpoint) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.attempt->leaving = "a-r3-worker-5: its node is cordoned: dgx-5";
  s.attempt->disrupted = true;
  s.restart.max_restarts = 0;
  const Decision asked = decide(s);
  EXPECT_EQ(asked.record.phase, Phase::kRestarting);
  EXPECT_EQ(asked.record.reason, "Disruption");
  EXPECT_EQ(asked.record.message, s.attempt->leaving);
  EXPECT_EQ(asked.record.ending, (Ending{"Disruption", kNow}));
  EXPECT_EQ(asked.record.restarts, 0) << "the MPIJob that is there was made before this restart";
  EXPECT_THAT(asked.steps, ElementsAre(Step::kAskStop));

  s.record = asked.record;
  s.attempt->leaving.clear();  // the node may be had again, but rank 0 was asked to stop
  s.now += seconds(60);
  const Decision again = decide(s);
  EXPECT_EQ(again.record, asked.record);
  EXPECT_THAT(again.events, IsEmpty());
  s.attempt->phase = JobPhase::kSucceeded;  // it wrote its checkpoint and ended
  s.record = decide(s).record;
  EXPECT_EQ(s.record.state, AttemptState::kEnded);
  EXPECT_EQ(s.record.restarts, 1);
  s.attempt.reset();
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kStartAttempt)) << "without a backoff";
  EXPECT_EQ(decide(s).record.failures, 0);
}

TEST(Life, AllowsADrainAfterTheDeadline) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.attempt->leaving = "a-r3-worker-5: disrupted: evicting";
  s.record = decide(s).record;
  s.now += s.checkpoint_deadline;
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kDeleteAttempts));
}

TEST(Life, FailsAtOnceForTheUsersOwnMistakes) {
  Situation s = with_attempt(JobPhase::kFailed);
  s.attempt->exit_code = 78;
  s.attempt->message = "run.yaml:3: unknown key: bach";
  const Decision d = decide(s);
  EXPECT_EQ(d.record.phase, Phase::kFailed);
  EXPECT_EQ(d.record.reason, "BadConfig");
  EXPECT_EQ(d.record.message, "exit code 78: run.yaml:3: unknown key: bach");
  EXPECT_THAT(d.steps, IsEmpty());  // the launcher's log stays
}

TEST(Life, EndsTheWholeGangWhenAWorkerIsLost) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.attempt->lost = "a-r3-worker-5: Evicted";
  EXPECT_EQ(decide(s).record.reason, "WorkerLost");
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kDeleteAttempts));
  s.record.failures = s.restart.max_restarts;  // no restart is left, and no GPU is kept
  s.record = decide(s).record;
  EXPECT_EQ(s.record.phase, Phase::kFailed);
  s.attempt->workers_running = 7;
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kDeleteAttempts));
}

TEST(Life, TreatsADeletedJobAsALostAttempt) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.attempt.reset();
  const Decision d = decide(s);
  EXPECT_EQ(d.record.reason, "AttemptDeleted");
  EXPECT_EQ(d.record.state, AttemptState::kEnded);
}

TEST(Life, StartsNoAttemptBesideOneWhoseMpiJobIsGoing) {
  for (const AttemptState state : {AttemptState::kWanted, AttemptState::kLive}) {
    Situation s = with_attempt(JobPhase::kRunning);
    s.record.state = state;
    s.attempt->deleted = true;
    s.record = decide(s).record;
    EXPECT_EQ(s.record.reason, "AttemptDeleted");
    EXPECT_EQ(s.record.failures, 1);
    s.now += seconds(60);
    EXPECT_EQ(decide(s).record.attempt, 3) << "its pods may write their checkpoint";
    EXPECT_TRUE(decide(s).requeue_after);
    s.attempt.reset();
    EXPECT_EQ(decide(s).record.attempt, 4);
  }
}

TEST(Life, LeavesARunningAttemptAloneWhenAnEditIsRefused) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.hash = "";
  s.problem_reason = "BadConfig";
  s.problem = "spec.config.training.bach: unknown";
  EXPECT_EQ(decide(s).record.phase, Phase::kRunning);
  EXPECT_THAT(decide(s).steps, IsEmpty());
}

TEST(Life, StaysPendingWhileRefusedAndSaysSoOnce) {
  Situation s = accepted();
  s.problem_reason = "MissingClaim";
  s.problem = "spec.data.claimName: no";
  const Decision d = decide(s);
  EXPECT_EQ(d.record.phase, Phase::kPending);
  EXPECT_EQ(d.events.size(), 1U);
  s.record = d.record;
  EXPECT_THAT(decide(s).events, IsEmpty());
}

TEST(Life, StartsAgainWhenTheSpecIsEditedAfterTheEnd) {
  Situation s = with_attempt(JobPhase::kFailed);
  s.record.phase = Phase::kFailed;
  s.record.restarts = 20;
  EXPECT_THAT(decide(s).steps, IsEmpty());
  s.request = "2";
  s.hash = "h2";
  const Decision d = decide(s);
  EXPECT_EQ(d.record.phase, Phase::kRestarting);
  EXPECT_EQ(d.record.restarts, 0);
  EXPECT_THAT(d.steps, ElementsAre(Step::kDeleteAttempts));
}

TEST(Life, LeavesATrainingAloneThatAnotherVersionWouldGiveOtherPods) {
  for (const Phase phase : {Phase::kRunning, Phase::kSucceeded, Phase::kFailed}) {
    Situation s =
        with_attempt(phase == Phase::kRunning ? JobPhase::kRunning : JobPhase::kSucceeded);
    s.record.phase = phase;
    if (phase != Phase::kRunning) s.attempt.reset();
    for (const char* edit : {"1", "2", "3"}) {                  // none of which changes a pod
      if (phase == Phase::kFailed && s.request != edit) break;  // which any edit starts again
      s.request = edit;
      s.hash = "h2";
      EXPECT_EQ(decide(s).record.phase, phase);
      EXPECT_THAT(decide(s).steps, IsEmpty());
      s.record = decide(s).record;
      s.hash = "h3";  // of yet another version
      EXPECT_EQ(decide(s).record.phase, phase);
      EXPECT_THAT(decide(s).steps, IsEmpty());
      s.record = decide(s).record;
      s.hash = "h2";
      s.record = decide(s).record;
    }
    s.request = "4";
    s.hash = "h4";
    EXPECT_THAT(decide(s).steps,
                ElementsAre(phase == Phase::kRunning ? Step::kAskStop : Step::kDeleteAttempts));
  }
}

TEST(Life, LeavesATrainingAloneWhoseEditChangesNoPod) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.request = "2";
  EXPECT_EQ(decide(s).record.phase, Phase::kRunning);
  EXPECT_THAT(decide(s).steps, IsEmpty());
}

TEST(Life, DeletesATrainingThatHasBeenOverForItsTime) {
  Situation s = with_attempt(JobPhase::kSucceeded);
  s.record.phase = Phase::kSucceeded;
  s.over_since = kNow - seconds(60);
  EXPECT_THAT(decide(s).steps, IsEmpty()) << "it stays by default";
  s.ttl = seconds(100);
  EXPECT_THAT(decide(s).steps, IsEmpty());
  EXPECT_EQ(decide(s).requeue_after, seconds(40));
  s.ttl = seconds(60);
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kDeleteTraining));
  EXPECT_EQ(decide(s).events.at(0).reason, "Expired");
  s.request = "2";  // an edit starts it again first
  s.hash = "h2";
  EXPECT_EQ(decide(s).record.phase, Phase::kRestarting);
  Situation running = with_attempt(JobPhase::kRunning);
  running.ttl = seconds(0);
  EXPECT_THAT(decide(running).steps, IsEmpty());
}

TEST(Life, EndsWithACheckpointThenThePurgeThenTheFinalizer) {
  Situation s = with_attempt(JobPhase::kRunning);
  s.deleted = true;
  s.purge = true;
  const Decision asked = decide(s);
  EXPECT_THAT(asked.steps, ElementsAre(Step::kAskStop));
  s.record = asked.record;
  s.attempt->phase = JobPhase::kSucceeded;
  s.record = decide(s).record;
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kDeleteAttempts));
  s.attempt.reset();
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kPurge));
  s.purge_started = true;
  EXPECT_THAT(decide(s).steps, IsEmpty());
  EXPECT_TRUE(decide(s).requeue_after) << "nothing else says that the Job has ended";
  s.purge = false;
  EXPECT_THAT(decide(s).steps, ElementsAre(Step::kRemoveFinalizer));
  s.has_finalizer = false;
  EXPECT_THAT(decide(s).steps, IsEmpty());
}

TEST(Life, EndsEvenIfTheRunFolderCannotBeDeleted) {
  Situation s;
  s.deleted = true;
  s.purge = true;
  s.purge_failure = "the run folder was not deleted: /runs/faces";
  const Decision d = decide(s);
  EXPECT_THAT(d.steps, ElementsAre(Step::kRemoveFinalizer));
  EXPECT_THAT(d.events, ElementsAre(Event{true, "PurgeFailed", s.purge_failure}));
}

}  // namespace
}  // namespace ganscale::controller::gan_training
