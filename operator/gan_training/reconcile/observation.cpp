#include "gan_training/reconcile/observation.h"

#include <algorithm>

#include "base/error.h"
#include "gan_training/decide/refused_pod.h"
#include "gan_training/desired/mpi_job.h"
#include "gan_training/reconcile/purge.h"
#include "kind/refusal.h"
#include "object/condition.h"
#include "object/fields.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr std::chrono::seconds kLate{30};
/// The finalizer of an object whose deletion leaves what it owns, until Kubernetes has taken its
/// owner references away.
constexpr const char* kOrphanFinalizer = "orphan";

/// Returns the MPIJob of an attempt if it has no owner any more; null otherwise.
Informer::Object orphaned_job(const Key& training, int attempt, const Informers& informers) {
  auto job = informers.jobs->find({training.name_space, attempt_name(training, attempt)});
  return job && controller_uid(*job).empty() ? job : nullptr;
}

/// Whether what a deleted training owns is to stay, as with `kubectl delete --cascade=orphan`.
bool is_orphaned(const GanTraining& training, const Record& record, const Informers& informers) {
  return std::ranges::count(training.finalizers, kOrphanFinalizer) > 0 ||
         orphaned_job(training.key, record.attempt, informers) != nullptr;
}

/// Whether a pod may still write. A node that is cut off keeps running pods whose grace is over:
/// they have ended when Kubernetes says so. It does for a node that is deleted or out of service.
bool may_write(const Json& pod) {
  const std::string phase = text_at(pod, "/status/phase");
  return phase != "Succeeded" && phase != "Failed";
}

/// Returns why a pod that may still write stays, and what to do; empty if it may be going.
std::string why_stuck(const Json& pod, const Key& training, const Informers& informers, Time now) {
  const std::string waits = "waiting for the end of " + key_of(pod).name;
  if (const auto deadline = parse_time(text_at(pod, "/metadata/deletionTimestamp"))) {
    if (now < *deadline + kLate) return "";
    const std::string node = text_at(pod, "/spec/nodeName");
    return waits + ", whose node does not confirm it: " + node +
           "; if the node is down, delete it or taint it " +
           "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute";
  }
  const auto job = orphaned_job(training, attempt_number(pod), informers);
  if (!job) return "";
  return waits + ", whose MPIJob no GanTraining owns: " + key_of(*job).name +
         "; delete the MPIJob, or wait until it ends";
}

/// Notes a pod if it may still write, and what to do if it does not seem to go.
void note_remaining(const Json& pod, const Key& training, const Informers& informers,
                    Situation& s) {
  if (!may_write(pod)) return;
  s.others = true;
  if (s.stuck.empty()) s.stuck = why_stuck(pod, training, informers, s.now);
}

/// Returns the pods of the record's attempt; other pods are noted if they may still write. Pods
/// that merely have the label are left out.
std::vector<Json> observe_pods(const GanTraining& training, const Informers& informers,
                               Situation& s) {
  std::vector<Json> pods;
  for (const auto& pod : informers.pods->by_index(training.key)) {
    if (!is_of_job(*pod)) continue;
    if (attempt_number(*pod) == s.record.attempt) {
      pods.push_back(*pod);
    } else {
      note_remaining(*pod, training.key, informers, s);
    }
  }
  return pods;
}

/// Reads an attempt, which is to leave nodes that are cordoned, unless its pods run on them on
/// purpose.
Attempt attempt_of(const Json& job, const std::vector<Json>& pods, const Informers& informers) {
  Attempt attempt = observe_attempt(job, pods);
  observe_cordons(
      job, pods, [&](const std::string& node) { return informers.is_cordoned(node); }, attempt);
  return attempt;
}

/// Returns the MPIJob of an attempt that is to be there and that the cache lacks: it may be stale,
/// just after a start, or after a restored backup, when each kind is listed again at its own time.
/// Nothing if it was not made yet, or was deleted.
std::optional<Json> read_job(const GanTraining& training, Client& client, const Record& record) {
  const bool may_be_there =
      record.state == AttemptState::kWanted || record.state == AttemptState::kLive;
  if (!may_be_there) return std::nullopt;
  const Key key{training.key.name_space, attempt_name(training.key, record.attempt)};
  auto job = client.get(kMpiJobs, key);
  if (job && !is_owned_by(*job, training.uid)) job.reset();
  return job;
}

/// Whether the MPIJob of an attempt is gone, or waits for its pods, which may be writing their last
/// checkpoint.
bool may_leave_pods(const Situation& s) {
  const bool is_gone = !s.attempt || s.attempt->deleted;
  return is_gone && s.record.state != AttemptState::kWanted;
}

void observe_attempts(const GanTraining& training, const Cluster& cluster, Situation& s) {
  const Informers& informers = cluster.informers;
  const std::vector<Json> pods = observe_pods(training, informers, s);
  for (const auto& job : informers.jobs->by_index(training.key)) {
    if (!is_owned_by(*job, training.uid)) continue;
    if (attempt_number(*job) == s.record.attempt) {
      s.attempt = attempt_of(*job, pods, informers);
    } else {
      s.others = true;
    }
  }
  if (!s.attempt) {
    if (const auto job = read_job(training, cluster.client, s.record)) {
      s.attempt = attempt_of(*job, pods, informers);
    }
  }
  if (may_leave_pods(s)) {
    for (const Json& pod : pods) note_remaining(pod, training.key, informers, s);
  }
}

/// Asks why pods of a live attempt are not there.
void observe_refusals(const std::string& name_space, const Cluster& cluster, Situation& s) {
  if (!s.attempt || !waits_for_pods(*s.attempt, s.now)) return;
  const Key job{name_space, s.attempt->name};
  observe_refusal(cluster.warnings.about(job, s.now, cluster.client), *s.attempt);
}

ReferencedConfig read_config_map(const GanTraining& training, Client& client) {
  Fields from = Fields(training.spec, "spec").object("configFrom");
  const std::string name = from.name("name");
  if (name.empty()) return {};
  const std::string key = from.text("key", "config.yaml");
  const auto object = client.get(resource::kConfigMaps, {training.key.name_space, name});
  if (!object) return {.problem = "spec.configFrom.name: no such ConfigMap: " + name};
  const Json data = object->value("data", Json::object());
  if (!data.contains(key)) {
    return {.problem = "spec.configFrom.key: the ConfigMap " + name + " has no key: " + key};
  }
  return {.text = data[key]};
}

/// Returns what is under spec.configFrom. What can't be read does not delay a deletion.
ReferencedConfig referenced_config(const GanTraining& training, Client& client) {
  try {
    return read_config_map(training, client);
  } catch (const ConfigError& error) {
    return {.problem = error.what()};
  } catch (const ApiError& error) {
    if (!training.deleted) throw;
    return {.problem = error.what()};
  }
}

void check_claims(Checked& checked, Client& client) {
  const TrainingSpec& spec = checked.plan.spec;
  const auto check_claim = [&](const char* field, const Volume& volume) {
    if (volume.claim_name.empty() || !checked.problem.empty()) return;
    if (client.get(resource::kClaims, {checked.plan.key.name_space, volume.claim_name})) return;
    checked.reason = kMissingClaim;
    checked.problem = std::string("spec.") + field +
                      ".claimName: no such PersistentVolumeClaim: " + volume.claim_name;
  };
  check_claim("data", spec.data);
  check_claim("storage", spec.storage);
  check_claim("evaluation.featureNet", spec.feature_net.volume);
}

void observe_spec(const TrainingSpec& spec, Situation& s) {
  s.suspend = spec.suspend;
  s.restart = spec.restart;
  s.checkpoint_deadline = std::chrono::seconds(spec.checkpoint_deadline_seconds);
  const auto seconds_of = [](const std::optional<int>& deadline) {
    return deadline ? std::optional(std::chrono::seconds(*deadline)) : std::nullopt;
  };
  s.scheduling_deadline = seconds_of(spec.scheduling_deadline_seconds);
  s.progress_deadline = seconds_of(spec.progress_deadline_seconds);
  s.ttl = seconds_of(spec.ttl_seconds);
  if (spec.storage.claim_name.empty()) s.checkpoint.clear();  // it was in the pods
}

void observe_plan(const Plan& plan, Situation& s) {
  s.request = plan.request;
  s.hash = plan_hash(plan);
  s.config_hash = config_hash(plan);
  s.storage = storage_of(plan);
  s.nodes = plan.spec.nodes;
}

}  // namespace

Observation observe(const GanTraining& training, const Cluster& cluster, const Rules& rules,
                    Time now) {
  Observation seen;
  Situation& s = seen.situation;
  s.record = read_record(training.status);
  s.deleted = training.deleted;
  s.has_finalizer = training.has_finalizer();
  s.over_since = over_since(training.status);
  s.checkpoint = text_at(training.status, "/lastCheckpoint/name");
  s.now = now;
  seen.checked = check_training(training, rules.profiles, rules.schema,
                                referenced_config(training, cluster.client));
  observe_attempts(training, cluster, s);
  observe_refusals(training.key.name_space, cluster, s);
  s.has_spec = seen.checked.has_spec;
  if (s.has_spec) observe_spec(seen.checked.plan.spec, s);
  if (seen.checked.problem.empty()) {
    if (!s.attempt && !training.deleted) {
      check_claims(seen.checked, cluster.client);
      s.older_purge = older_purge(seen.checked.plan, cluster.client);
    }
    observe_plan(seen.checked.plan, s);
  }
  if (training.deleted) {
    s.orphaned = is_orphaned(training, s.record, cluster.informers);
    observe_purge(training, seen.checked, cluster.client, s);
  }
  s.problem_reason = seen.checked.reason;
  s.problem = seen.checked.problem;
  return seen;
}

}  // namespace ganscale::controller::gan_training
