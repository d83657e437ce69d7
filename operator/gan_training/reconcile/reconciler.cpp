#include "gan_training/reconcile/reconciler.h"

#include <algorithm>

#include "gan_training/decide/status.h"
#include "gan_training/reconcile/attempts.h"
#include "gan_training/reconcile/children.h"
#include "gan_training/reconcile/control_token.h"
#include "gan_training/reconcile/finalizer.h"
#include "gan_training/reconcile/purge.h"
#include "kube/stored_status.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr std::chrono::seconds kSoon{1};

bool contains(const std::vector<Step>& steps, Step step) {
  return std::ranges::find(steps, step) != steps.end();
}

}  // namespace

std::optional<std::chrono::seconds> Reconciler::reconcile(const Key& key) {
  const auto object = parts_.cluster.informers.trainings->find(key);
  if (!object) {
    parts_.probe.forget(key);
    return std::nullopt;
  }
  const GanTraining training = parse_training(*object);
  return reconcile_and_report(
      training, [&] { return reconcile(training); }, parts_.now(), parts_.cluster.client,
      parts_.cluster.events);
}

std::chrono::seconds Reconciler::reconcile(const GanTraining& training) {
  if (!training.deleted && !training.has_finalizer()) {
    set_finalizer(training, true, parts_.cluster.client);  // its update brings us back here
    return kResync;
  }
  Observation seen = observe(training, parts_.cluster, parts_.rules, parts_.now());
  Situation& situation = seen.situation;
  if (const auto told = parts_.probe.latest(training.key, situation.record.attempt)) {
    situation.images_seen = told->images_seen;
    situation.paused = told->state == wire::JobState::kPaused;
    if (situation.attempt && told->preflight) situation.attempt->preflight = told->preflight;
  }
  const Decision decision = decide(situation);
  // What an attempt stands on is there before it: the next reconcile, which its coming brings
  // about, finds it. So one makes few requests, and others need not wait long for their turn.
  if (contains(decision.steps, Step::kStartAttempt) &&
      keep_children(training, seen, decision.record, parts_.cluster)) {
    return kSoon;
  }
  act(training, seen, decision);
  return std::min(decision.requeue_after.value_or(kResync), kResync);
}

void Reconciler::act(const GanTraining& training, const Observation& seen,
                     const Decision& decision) {
  const Json status = next_status(training, seen, decision.record);
  // What was decided is stored before it is done: the next operator continues from there. A copy
  // that is behind the server is refused here, before it can do harm.
  Client& client = parts_.cluster.client;
  const Json stored = status != training.status ? store_status(training, status, client) : Json();
  for (const Event& event : decision.events) {
    parts_.cluster.events.record(training.reference(), event);
  }
  follow_worker(training, seen, decision);
  const GanTraining latest = stored.is_null() ? training : parse_training(stored);
  take_steps(latest, seen, decision);
  if (contains(decision.steps, Step::kStartAttempt)) {
    if (attempt_is_current(training, decision.record, stored, client)) {
      start_attempt(seen.checked.plan, decision.record,
                    control_token(parts_.token_key, training.uid), client);
    }
  } else if (!training.deleted && seen.checked.problem.empty()) {
    keep_children(latest, seen, decision.record, parts_.cluster);
  }
}

/// training: as it was last stored.
void Reconciler::take_steps(const GanTraining& training, const Observation& seen,
                            const Decision& decision) {
  const Cluster& cluster = parts_.cluster;
  const bool is_destructive =
      contains(decision.steps, Step::kDeleteAttempts) || contains(decision.steps, Step::kPurge);
  // If nothing was stored, nothing has shown yet that our copy was the newest.
  if (is_destructive) require_current(training, cluster.client);
  if (contains(decision.steps, Step::kDeleteAttempts)) {
    delete_attempts(training, decision.record, seen.situation.attempt, cluster);
  }
  if (contains(decision.steps, Step::kDeleteTraining)) {
    cluster.client.remove(kTrainings, training.key, training.uid, training.resource_version);
  }
  if (contains(decision.steps, Step::kQueuePurge)) {
    queue_purge(seen.checked.plan, cluster.client);
  }
  const bool is_stuck =
      contains(decision.steps, Step::kPurge) && !start_purge(training, seen.checked.plan, cluster);
  if (is_stuck || contains(decision.steps, Step::kRemoveFinalizer)) {
    set_finalizer(training, false, cluster.client);
  }
}

Json Reconciler::next_status(const GanTraining& training, const Observation& seen,
                             const Record& record) {
  const Plan& plan = seen.checked.plan;
  const auto& attempt = seen.situation.attempt;
  Facts facts;
  facts.generation = training.generation;
  facts.model = configured_model(plan.config);
  facts.nodes = plan.spec.nodes;
  facts.gpus = plan.gpus();
  facts.ranks = plan.ranks();
  facts.selector = std::string(kTrainingLabel) + "=" + training.key.name + "," + kRoleLabel + "=" +
                   std::string(name_in(kRoles, Role::kWorker));
  facts.problem_reason = seen.checked.reason;
  facts.problem = seen.checked.problem;
  if (record.state == AttemptState::kLive) {
    facts.attempt = attempt;
    facts.worker = parts_.probe.latest(training.key, record.attempt);
  }
  if (attempt && attempt->last_status) facts.worker = attempt->last_status;
  facts.now = seen.situation.now;
  return gan_training::next_status(training.status, record, facts);
}

/// Gives the probe its target: rank 0 of the live attempt, and whether it is to stop. The spec may
/// name another port by now, or be refused.
void Reconciler::follow_worker(const GanTraining& training, const Observation& seen,
                               const Decision& decision) {
  const auto& attempt = seen.situation.attempt;
  const bool answers = attempt && attempt->phase == JobPhase::kRunning &&
                       decision.record.state == AttemptState::kLive &&
                       !attempt->rank0_address.empty() && attempt->control_port > 0;
  if (!answers) {
    parts_.probe.forget(training.key);
    return;
  }
  parts_.probe.watch(training.key, {.url = "http://" + attempt->rank0_address + ":" +
                                           std::to_string(attempt->control_port),
                                    .token = control_token(parts_.token_key, training.uid),
                                    .attempt = decision.record.attempt,
                                    .stop = contains(decision.steps, Step::kAskStop)});
}

}  // namespace ganscale::controller::gan_training
