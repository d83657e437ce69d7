#include "gan_training/decide/ending.h"

#include <algorithm>

#include "base/error.h"
#include "gan_training/decide/restart.h"

namespace ganscale::controller::gan_training {
namespace {

using std::chrono::seconds;

/// Whether the attempt trains, and so has something to save.
bool trains(const Attempt& attempt) {
  return attempt.phase == JobPhase::kRunning && attempt.lost.empty();
}

/// Whether rank 0 can be asked for a checkpoint. Without a control port, the ranks hear of it only
/// when their pods are deleted, and have the grace of the pods for it.
bool can_be_asked(const Attempt& attempt) { return trains(attempt) && attempt.control_port > 0; }

/// Whether an attempt seems to have ended without the checkpoint that it was asked for. After it,
/// ranks that heard of a signal end with ExitCode::kStopped. A disruption takes pods in any case.
bool may_lack_checkpoint(const Situation& s) {
  const Attempt& attempt = *s.attempt;
  if (!s.record.ending || attempt.phase == JobPhase::kSucceeded) return false;
  if (attempt.exit_code == static_cast<int>(ExitCode::kStopped)) return false;
  const bool is_disruption = s.record.ending->reason == kDisruption;
  return attempt.phase == JobPhase::kFailed || (!attempt.lost.empty() && !is_disruption);
}

/// Says how an attempt ended that can't be asked for a checkpoint, or no longer.
void tell_end(const Situation& s, Decision& d) {
  const std::string& name = s.attempt->name;
  const std::string& reason = d.record.ending->reason;
  if (may_lack_checkpoint(s)) {
    add_event(d, true, "CheckpointFailed",
              name + " was asked to stop (" + reason +
                  ") and may lack its last checkpoint: " + decide_restart(*s.attempt).message);
  } else {
    add_event(d, false, "AttemptEnded", name + " ended for: " + reason);
  }
}

/// Asks rank 0 for a checkpoint and waits for the end, at most until the deadline.
void wait_for_checkpoint(const Situation& s, Decision& d) {
  const Attempt& attempt = *s.attempt;
  d.record.ending->since = std::min(d.record.ending->since, s.now);  // the clock may be set back
  const Time deadline = d.record.ending->since + s.checkpoint_deadline;
  if (!can_be_asked(attempt)) {
    tell_end(s, d);
    end_stopped(d);
  } else if (s.now >= deadline) {
    add_event(d, true, "CheckpointDeadline",
              attempt.name + " did not write a checkpoint in time and was ended: " +
                  std::to_string(s.checkpoint_deadline.count()) + " s");
    end_stopped(d);
  } else {
    d.steps.push_back(Step::kAskStop);
    d.requeue_after = std::min(kPollEvery, seconds(deadline - s.now));
  }
}

void stop_attempt(const Situation& s, Decision& d, const std::string& reason,
                  const std::string& why) {
  d.record.ending = Ending{reason, s.now};
  add_event(d, false, reason,
            why + (can_be_asked(*s.attempt) ? "; writing a checkpoint first" : ""));
  wait_for_checkpoint(s, d);
}

}  // namespace

bool has_live_attempt(const Situation& s) {
  return s.attempt && !s.attempt->deleted && s.record.state != AttemptState::kEnded;
}

void end_attempt(Decision& d) {
  d.record.state = AttemptState::kEnded;
  d.record.ending.reset();
  d.record.progress.reset();
  d.steps.push_back(Step::kDeleteAttempts);
}

void end_stopped(Decision& d) {
  if (d.record.ending->reason == kDisruption) ++d.record.restarts;
  end_attempt(d);
}

bool bring_to_end(const Situation& s, Decision& d, const std::string& reason,
                  const std::string& why) {
  if (!has_live_attempt(s)) {
    d.record.ending.reset();
    if (d.record.state != AttemptState::kNone) d.record.state = AttemptState::kEnded;
    if (s.attempt || s.others) d.steps.push_back(Step::kDeleteAttempts);
    return false;
  }
  if (!d.record.ending) {
    stop_attempt(s, d, reason, why);
  } else {
    d.record.ending->reason = reason;
    wait_for_checkpoint(s, d);
  }
  return true;
}

}  // namespace ganscale::controller::gan_training
