#include "scaling_sweep/reconcile/reconciler.h"

#include <algorithm>

#include "kube/owned.h"
#include "kube/stored_status.h"
#include "scaling_sweep/decide/status.h"
#include "scaling_sweep/desired/report_map.h"
#include "scaling_sweep/desired/training.h"
#include "scaling_sweep/plan/validate.h"

namespace ganscale::controller::scaling_sweep {

using gan_training::kTrainings;

std::optional<std::chrono::seconds> Reconciler::reconcile(const Key& key) {
  const auto object = parts_.informers.sweeps->find(key);
  if (!object) return std::nullopt;
  const ScalingSweep sweep = parse_sweep(*object);
  if (sweep.deleted) return std::nullopt;  // the server deletes what it owns
  return reconcile_and_report(
      sweep, [&] { return reconcile(sweep); }, parts_.now(), parts_.client, parts_.events);
}

std::chrono::seconds Reconciler::reconcile(const ScalingSweep& sweep) {
  const Situation seen = observe(sweep);
  const Decision decision = decide(seen);
  // What was decided is stored before it is done. A copy that is behind the server is refused here:
  // a result that it does not know about is not measured again.
  const Json stored = store(sweep, seen, decision);
  for (const Event& event : decision.events) parts_.events.record(sweep.reference(), event);
  const ScalingSweep latest = stored.is_null() ? sweep : parse_sweep(stored);
  const bool is_destructive = !decision.remove.empty() || decision.expired;
  if (decision.start || is_destructive) require_current(latest, parts_.client);
  if (decision.expired) {
    parts_.client.remove(kSweeps, latest.key, latest.uid, latest.resource_version);
    return kResync;
  }
  remove_trainings(sweep, seen, decision);
  if (decision.start) start_training(sweep, seen.plan, *decision.start);
  if (seen.problem.empty()) keep_report(seen.plan, decision.record);
  return std::min(decision.requeue_after.value_or(kResync), kResync);
}

Situation Reconciler::observe(const ScalingSweep& sweep) const {
  Checked checked = check_sweep(sweep, parts_.profiles, parts_.schema);
  Situation seen;
  seen.record = read_record(sweep.status);
  seen.problem_reason = checked.reason;
  seen.problem = checked.problem;
  if (seen.problem.empty()) seen.plan = std::move(checked.plan);
  for (const auto& training : parts_.informers.trainings->by_index(sweep.key)) {
    seen.children.push_back(observe_child(*training, sweep));
  }
  std::ranges::sort(seen.children, {}, &Child::name);
  seen.over_since = over_since(sweep.status);
  seen.now = parts_.now();
  return seen;
}

/// Returns the sweep as it is stored now; null if there was nothing to store.
Json Reconciler::store(const ScalingSweep& sweep, const Situation& seen, const Decision& decision) {
  const Facts facts{.generation = sweep.generation,
                    .problem_reason = seen.problem_reason,
                    .problem = seen.problem,
                    .plan = seen.plan,
                    .now = seen.now};
  const Json status = next_status(sweep.status, decision.record, facts);
  return status == sweep.status ? Json() : store_status(sweep, status, parts_.client);
}

void Reconciler::remove_trainings(const ScalingSweep& sweep, const Situation& seen,
                                  const Decision& decision) {
  for (const Child& child : seen.children) {
    if (std::ranges::count(decision.remove, child.name) == 0) continue;
    parts_.client.remove(kTrainings, {sweep.key.name_space, child.name}, child.uid);
  }
}

void Reconciler::start_training(const ScalingSweep& sweep, const Plan& plan, std::size_t run) {
  const Json object = training(plan, plan.runs.at(run));
  try {
    parts_.client.create(kTrainings, object);
  } catch (const ApiError& error) {
    if (error.code() != 409 || error.reason() != "AlreadyExists") throw;
    const auto there = parts_.client.get(kTrainings, key_of(object));
    if (!there) throw;                           // it has been deleted since
    if (is_owned_by(*there, sweep.uid)) return;  // we made it; our copy is stale
    throw NameTaken(kTrainings, key_of(object));
  }
  const std::string name = key_of(object).name;
  parts_.events.record(sweep.reference(), {false, "RunStarted", name});
}

/// Applies the report if it is not as it should be. There is none before the first result; if an
/// edit drops all results, the one that is there is emptied, as it may not be deleted.
void Reconciler::keep_report(const Plan& plan, const Record& record) {
  const auto have = parts_.informers.reports->find({plan.key.name_space, report_name(plan.key)});
  const bool has_one = have && is_owned_by(*have, plan.uid);
  if (record.results.empty() && !has_one) return;
  const Json want = report_map(plan, record);
  if (!have) {
    put_owned(parts_.client, resource::kConfigMaps, want);
  } else if (difference_of_owned(*have, want)) {
    apply_owned(parts_.client, resource::kConfigMaps, want, *have);
  }
}

}  // namespace ganscale::controller::scaling_sweep
