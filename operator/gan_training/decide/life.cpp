#include "gan_training/decide/life.h"

#include <algorithm>
#include <functional>

#include "gan_training/decide/avoided.h"
#include "gan_training/decide/edit.h"
#include "gan_training/decide/ending.h"
#include "gan_training/decide/fabric.h"
#include "gan_training/decide/restart.h"
#include "kind/refusal.h"
#include "object/stored_object.h"

namespace ganscale::controller::gan_training {
namespace {

using std::chrono::seconds;

constexpr seconds kLookForPods{10};

bool is_over(const Record& record) {
  return record.phase == Phase::kSucceeded || record.phase == Phase::kFailed;
}

void forget_failures(Decision& d) {
  d.record.failures = 0;
  d.record.failed_behind.clear();
}

void look_again_in(seconds time, Decision& d) {
  d.requeue_after = std::min(d.requeue_after.value_or(time), time);
}

/// Returns whether a time has come; if not, the training is looked at again then.
bool has_passed(Time deadline, const Situation& s, Decision& d) {
  if (s.now >= deadline) return true;
  look_again_in(deadline - s.now, d);
  return false;
}

/// Looks again soon for an end that may come without any message, and says once what is waited for,
/// unless the note is empty.
void wait_for(const Event& what, Decision& d) {
  d.requeue_after = kPollEvery;
  if (what.note.empty() || what.note == d.record.message) return;
  d.record.reason = what.reason;
  d.record.message = what.note;
  d.events.push_back(what);
}

/// Waits until nothing of other attempts can write any more.
void wait_for_others(const Situation& s, Decision& d) {
  wait_for({true, "PodNotGone", s.stuck}, d);
}

void decide_purge(const Situation& s, Decision& d) {
  if (!s.purge_started) d.steps.push_back(Step::kPurge);
  if (s.purge_needs_queue) d.steps.push_back(Step::kQueuePurge);
  d.requeue_after = kPollEvery;
}

/// Lets a deleted training disappear, even if its folder can't be deleted.
void let_go(const Situation& s, Decision& d) {
  if (s.purge) add_event(d, true, "PurgeFailed", s.purge_failure);
  if (!s.purge_skipped.empty()) add_event(d, false, "PurgeSkipped", s.purge_skipped);
  d.steps.push_back(Step::kRemoveFinalizer);
}

void decide_deleted(const Situation& s, Decision& d) {
  if (!s.has_finalizer) return;
  if (s.orphaned) return let_go(s, d);  // its attempt goes on without it
  if (bring_to_end(s, d, "Delete", "the training is being deleted")) return;
  if (s.attempt || s.others) {
    wait_for_others(s, d);
  } else if (s.purge && s.purge_failure.empty()) {
    decide_purge(s, d);
  } else {
    let_go(s, d);
  }
}

/// Says what is wrong with the spec, once, and looks for the object that it lacks. To be called
/// after the phase is set.
void report_refusal(const Situation& s, Decision& d) {
  if (s.record.message != d.record.message) add_event(d, true, s.problem_reason, s.problem);
  if (may_pass({s.problem_reason, s.problem})) look_again_in(kLookAgain, d);
}

void say_what_suspending_waits_for(Decision& d) {
  d.record.reason = "Suspending";
  d.record.message = d.record.ending ? "waiting for a checkpoint" : "its pods are being deleted";
}

void decide_suspended(const Situation& s, Decision& d) {
  if (bring_to_end(s, d, "Suspend", "the training is suspended")) {
    return say_what_suspending_waits_for(d);
  }
  if (s.attempt || s.others) {  // its pods may write their checkpoint
    if (s.stuck.empty()) say_what_suspending_waits_for(d);
    return wait_for_others(s, d);
  }
  d.record.restart_at.reset();
  if (s.problem.empty()) {
    set_phase(d, Phase::kSuspended, "Suspended", "spec.suspend is true");
  } else {
    set_phase(d, Phase::kSuspended, "Suspended",
              "spec.suspend is true; the spec is refused: " + s.problem);
    report_refusal(s, d);
  }
}

/// Whether the next attempt does not find what the last one wrote. An old record does not say.
bool has_other_storage(const Situation& s) {
  return !s.record.storage.empty() && s.record.storage != s.storage;
}

/// Takes the number of the next attempt.
void take_next(const Situation& s, Decision& d) {
  std::erase_if(d.record.avoided, [&](const AvoidedNode& node) { return s.now >= node.until; });
  if (d.record.request != s.request || d.record.fabric_expires) d.record.fabric_accepted = false;
  d.record.fabric_expires = false;
  if (has_other_storage(s)) forget_failures(d);
  ++d.record.attempt;
  add_event(
      d, false, "AttemptStarted",
      "attempt " + std::to_string(d.record.attempt) + " on " + std::to_string(s.nodes) + " nodes");
}

/// Starts the next attempt, or the one whose number is taken and that was never made.
void start(const Situation& s, Decision& d) {
  if (s.others || (s.attempt && d.record.state == AttemptState::kEnded)) {
    d.steps.push_back(Step::kDeleteAttempts);
    wait_for_others(s, d);
    return;
  }
  if (!s.older_purge.empty()) {
    wait_for({false, "PurgeNotDone", s.older_purge}, d);
    return;
  }
  // A time further away than any backoff is one of a clock that was set back since. After the
  // scheduling deadline, a backoff is spread over twice its time.
  const Time latest =
      s.now + seconds(std::max(2 * s.restart.backoff_seconds, s.restart.max_backoff_seconds));
  if (d.record.restart_at && s.now < *d.record.restart_at && *d.record.restart_at <= latest) {
    d.requeue_after = seconds(*d.record.restart_at - s.now);
    return;
  }
  if (d.record.state != AttemptState::kWanted) take_next(s, d);
  d.record.restart_at.reset();
  d.record.state = AttemptState::kWanted;
  d.record.request = s.request;
  d.record.hash = s.hash;
  d.record.storage = s.storage;
  set_phase(d, Phase::kValidated, "AttemptStarted", "");
  d.steps.push_back(Step::kStartAttempt);
}

/// Counts a failure among those since the last checkpoint. Returns whether one more is allowed.
bool may_fail_again(const Situation& s, Decision& d) {
  if (has_come_further(d.record, s.checkpoint)) {
    d.record.failures = 0;
    d.record.failed_behind = s.checkpoint;
  }
  if (d.record.failures >= s.restart.max_restarts) return false;
  ++d.record.failures;
  return true;
}

void restart_or_fail(const Situation& s, Decision& d, const RestartDecision& decision) {
  if (decision.restart && (!decision.counts || may_fail_again(s, d))) {
    ++d.record.restarts;
    d.record.restart_at = s.now + backoff(s.restart, decision.counts ? d.record.failures : 1);
    const bool for_fabric = decision.reason == kFabricBelowFloor;
    avoid_failed_nodes(s, d, for_fabric);
    std::string message = decision.message + words_of_avoided(s);
    if (for_fabric) message += accept_fabric(s, d);
    set_phase(d, Phase::kRestarting, decision.reason, message);
    add_event(d, true, decision.reason,
              "restart " + std::to_string(d.record.restarts) + ": " + message);
    end_attempt(d);
    d.requeue_after = seconds(*d.record.restart_at - s.now);
    return;
  }
  const std::string limit = decision.restart ? "no restarts left: " : "";
  set_phase(d, Phase::kFailed, decision.restart ? "RestartLimit" : decision.reason,
            limit + decision.message);
  if (s.problem.empty()) d.record.request = s.request;  // only a later edit starts it again
  add_event(d, true, "Failed", d.record.message);
}

std::string workers_running(const Attempt& attempt) {
  std::string text = std::to_string(attempt.workers_running) + " of " +
                     std::to_string(attempt.nodes) + " workers running";
  if (attempt.phase == JobPhase::kCreated && !attempt.waits.empty()) text += "; " + attempt.waits;
  return text;
}

void follow_job(const Situation& s, Decision& d) {
  const Attempt& attempt = *s.attempt;
  const std::string workers = workers_running(attempt);
  switch (attempt.phase) {
    case JobPhase::kRunning:
      set_phase(d, Phase::kRunning, "Running", workers + (s.paused ? "; paused by a command" : ""));
      break;
    case JobPhase::kQueued:
      set_phase(d, Phase::kScheduling, "Queued", "waiting for its queue");
      break;
    default:
      set_phase(d, Phase::kScheduling,
                attempt.waits_reason.empty() ? "WaitsForNodes" : attempt.waits_reason, workers);
      // Only events say why a pod can't be made, and they are not watched.
      if (attempt.lacks_pods) look_again_in(kLookForPods, d);
  }
}

/// Gives back the nodes of an attempt that did not get all of them in time: two that wait for each
/// other would wait forever. The next try comes at another time for each.
bool decide_unscheduled(const Situation& s, Decision& d) {
  const Attempt& attempt = *s.attempt;
  if (!s.scheduling_deadline || !attempt.started || attempt.phase != JobPhase::kCreated) {
    return false;
  }
  if (!has_passed(*attempt.started + *s.scheduling_deadline, s, d)) return false;
  const auto spread = std::hash<std::string>{}(attempt.uid) %
                      static_cast<std::size_t>(s.restart.backoff_seconds + 1);
  d.record.restart_at = s.now + backoff(s.restart, 1) + seconds(spread);
  set_phase(d, Phase::kRestarting, "SchedulingDeadline", workers_running(attempt));
  add_event(d, true, "SchedulingDeadline",
            "gives its nodes back and tries again: it did not start within " +
                std::to_string(s.scheduling_deadline->count()) + " s: " + d.record.message);
  end_attempt(d);
  d.requeue_after = seconds(*d.record.restart_at - s.now);
  return true;
}

/// Starts again, with the nodes that may be had again, if an attempt lacks nodes without them.
bool decide_avoided(const Situation& s, Decision& d) {
  const Attempt& attempt = *s.attempt;
  auto avoided = d.record.avoided;
  std::erase_if(avoided, [&](const AvoidedNode& node) { return is_last_resort(s.record, node); });
  const bool lacks_nodes =
      attempt.phase == JobPhase::kCreated && attempt.workers_running < attempt.nodes;
  if (avoided.empty() || !lacks_nodes) return false;
  const auto first = std::ranges::min_element(avoided, {}, &AvoidedNode::until);
  if (!has_passed(first->until, s, d)) return false;
  set_phase(d, Phase::kRestarting, "NodeAllowed", "may have a node again: " + first->name);
  if (first->for_fabric) {
    d.record.fabric_accepted = true;
    d.record.message += ", and trains even below the floor: there are too few other nodes";
  }
  add_event(d, false, "NodeAllowed", d.record.message);
  end_attempt(d);
  d.requeue_after = kPollEvery;
  return true;
}

/// Restarts a running attempt that has made no progress for too long.
bool decide_stalled(const Situation& s, Decision& d) {
  const bool tells_progress = s.attempt->control_port > 0 && !s.paused;
  if (!s.progress_deadline || s.attempt->phase != JobPhase::kRunning || !tells_progress) {
    d.record.progress.reset();
    return false;
  }
  const std::int64_t images = s.images_seen.value_or(0);
  auto& progress = d.record.progress;
  if (!progress || progress->images != images || progress->since > s.now) {
    progress = Progress{images, s.now};
  }
  if (!has_passed(progress->since + *s.progress_deadline, s, d)) return false;
  progress.reset();
  restart_or_fail(
      s, d,
      {.restart = true,
       .counts = true,
       .reason = "NoProgress",
       .message = "no further image within " + std::to_string(s.progress_deadline->count()) +
                  " s, after " + std::to_string(images)});
  return true;
}

bool is_preempted(const Situation& s) {
  return s.attempt->suspended && !s.attempt->finished() && s.record.phase == Phase::kRunning;
}

/// Its queue took the nodes of a running attempt back. A suspended MPIJob does not resume as it
/// was: its workers may start after the launcher. So a new attempt waits in the queue in its place.
void decide_preempted(Decision& d) {
  set_phase(d, Phase::kRestarting, "Preempted", "the queue took its nodes back");
  add_event(d, true, "Preempted",
            "the queue took its nodes back; a new attempt is waiting for others");
  end_attempt(d);
  d.requeue_after = kPollEvery;
}

/// Whether Kubernetes takes a node of the attempt, or is about to. Once rank 0 was asked to stop,
/// the attempt ends, though the node may be had again.
bool must_leave(const Situation& s) {
  if (s.record.ending && s.record.ending->reason == kDisruption) return true;
  return !s.attempt->leaving.empty() && !s.attempt->finished() && s.attempt->lost.empty();
}

/// Leaves a node with a checkpoint; the next attempt goes where there is room.
void decide_disrupted(const Situation& s, Decision& d) {
  const bool is_known = s.record.ending && s.record.ending->reason == kDisruption;
  if (!is_known) set_phase(d, Phase::kRestarting, kDisruption, s.attempt->leaving);
  bring_to_end(s, d, kDisruption, d.record.message);
}

/// Ends an attempt that does not fit the current plan, with a checkpoint.
void decide_outdated(const Situation& s, Decision& d) {
  const auto [reason, message] = edit_of(s);
  set_phase(d, reason == "Resize" ? Phase::kResizing : Phase::kRestarting, reason, message);
  bring_to_end(s, d, reason, message);
}

/// Ends an attempt that was asked to stop, though the edit that asked for it was taken back: its
/// ranks may have heard of it, and end.
void decide_taken_back(const Situation& s, Decision& d) {
  const std::string reason = s.record.ending->reason;
  set_phase(d, Phase::kRestarting, reason, "it was asked to stop and can't go on");
  bring_to_end(s, d, reason, d.record.message);
}

/// Returns whether the attempt is to end before its time, with a checkpoint.
bool decide_stop(const Situation& s, Decision& d) {
  if (is_outdated(s, d.record)) {
    decide_outdated(s, d);
  } else if (must_leave(s)) {
    decide_disrupted(s, d);
  } else if (s.record.ending) {
    decide_taken_back(s, d);
  } else {
    return false;
  }
  return true;
}

void decide_unfinished(const Situation& s, Decision& d) {
  if (decide_unscheduled(s, d) || decide_avoided(s, d) || decide_stalled(s, d)) return;
  follow_job(s, d);
}

void decide_live(const Situation& s, Decision& d) {
  const Attempt& attempt = *s.attempt;
  if (s.record.state != AttemptState::kLive) note_first_plan(attempt, d);
  accept_plan(s, d);
  d.record.state = AttemptState::kLive;
  note_preflight(s, d);
  if (s.others) d.steps.push_back(Step::kDeleteAttempts);
  if (attempt.phase == JobPhase::kSucceeded && !d.record.ending) {
    set_phase(d, Phase::kSucceeded, "Done", "the training is complete");
    add_event(d, false, "Succeeded", d.record.message);
    return;
  }
  if (decide_stop(s, d)) return;
  if (is_preempted(s)) {
    decide_preempted(d);
  } else if (attempt.phase == JobPhase::kFailed || !attempt.lost.empty()) {
    restart_or_fail(s, d, decide_restart(attempt));
  } else {
    decide_unfinished(s, d);
  }
}

/// Whether the MPIJob of the attempt is gone or going, and we did not delete it. One that is going
/// may have pods that write their checkpoint.
bool has_vanished(const Situation& s) {
  if (s.attempt) return s.attempt->deleted && s.record.state != AttemptState::kEnded;
  return s.record.state == AttemptState::kLive;
}

void decide_vanished(const Situation& s, Decision& d) {
  if (d.record.ending) return end_stopped(d);
  restart_or_fail(s, d,
                  {.restart = true,
                   .counts = true,
                   .reason = "AttemptDeleted",
                   .message = "its MPIJob was deleted"});
  d.record.state = AttemptState::kEnded;
}

/// Deletes a training that has been over for long enough.
void decide_expiry(const Situation& s, Decision& d) {
  if (!s.ttl || !s.over_since) return;
  if (!has_passed(*s.over_since + *s.ttl, s, d)) return;
  d.steps.push_back(Step::kDeleteTraining);
  add_event(d, false, "Expired",
            "is deleted: it ended spec.ttlSecondsAfterFinished ago: " +
                std::to_string(s.ttl->count()) + " s");
}

void decide_over(const Situation& s, Decision& d) {
  const bool holds_nodes = s.attempt && s.attempt->workers_running > 0 &&
                           (!s.attempt->finished() || !s.attempt->lost.empty());
  if (holds_nodes && s.record.phase == Phase::kFailed) end_attempt(d);
  if (!s.problem.empty()) return decide_expiry(s, d);
  if (!starts_again(s)) {
    d.record.request = s.request;
    d.record.hash = s.hash;
    return decide_expiry(s, d);
  }
  if (s.suspend) return decide_expiry(s, d);
  add_event(d, false, "StartedAgain", "the spec was edited after the training had ended");
  set_phase(d, Phase::kRestarting, "StartedAgain",
            "the spec was edited after the training had ended");
  d.record.restarts = 0;
  forget_failures(d);
  end_attempt(d);
  d.requeue_after = kPollEvery;
}

/// Waits for an edit of the spec, or for the object that it names.
void decide_refused(const Situation& s, Decision& d) {
  // Of an attempt that was ended, the MPIJob may still be there: the operator was killed, say.
  if (s.attempt || s.others) d.steps.push_back(Step::kDeleteAttempts);
  set_phase(d, Phase::kPending, s.problem_reason, s.problem);
  report_refusal(s, d);
}

void decide_active(const Situation& s, Decision& d) {
  if (s.suspend) {
    decide_suspended(s, d);
  } else if (has_live_attempt(s)) {
    decide_live(s, d);
  } else if (has_vanished(s)) {
    decide_vanished(s, d);
  } else if (!s.problem.empty()) {
    decide_refused(s, d);
  } else {
    d.record.ending.reset();
    start(s, d);
  }
}

}  // namespace

Decision decide(const Situation& s) {
  Decision d;
  d.record = s.record;
  if (s.has_spec) shorten_avoidance(s, d);
  if (s.deleted) {
    decide_deleted(s, d);
  } else if (is_over(s.record)) {
    decide_over(s, d);
  } else {
    decide_active(s, d);
  }
  return d;
}

}  // namespace ganscale::controller::gan_training
