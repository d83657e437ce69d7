#include "gan_training/reconcile/children.h"

#include "gan_training/desired/config_map.h"
#include "gan_training/desired/disruption_budget.h"
#include "gan_training/desired/mpi_job.h"
#include "gan_training/desired/network_policy.h"
#include "gan_training/reconcile/attempts.h"
#include "kind/spec_hash.h"
#include "kube/owned.h"
#include "kube/stored_status.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

/// The desired object of a training, and our copy of the existing one.
struct Child {
  const Resource* resource;
  Json want;
  Informer::Object have;
};

/// While it runs, and while it writes the checkpoint with which it ends.
bool needs_budget(const Record& record) { return record.phase == Phase::kRunning || record.ending; }

/// Returns an object with a hash of itself, as we write it. One that differs from what we want now,
/// though what we wrote last was the same, was changed by others.
Json with_hash(Json want) {
  const std::string hash = spec_hash(want.dump());
  want["metadata"]["annotations"][kContentHashAnnotation] = hash;
  return want;
}

/// Keeps the tolerations that Kueue copied from the flavor it assigned.
void keep_tolerations(const Json& have, Json& want) {
  if (!is_queued(have) && !is_queued(want)) return;
  for (const char* role : {"Launcher", "Worker"}) {
    const Json::json_pointer path("/spec/mpiReplicaSpecs/" + std::string(role) +
                                  "/template/spec/tolerations");
    want[path] = have.value(path, Json::array());
  }
}

/// Returns the MPIJob with a name; null if there is none. The cache may lack one that was just made.
Informer::Object find_job(const Key& key, const Cluster& cluster) {
  if (auto known = cluster.informers.jobs->find(key)) return known;
  const auto job = cluster.client.get(kMpiJobs, key);
  return job ? std::make_shared<const Json>(*job) : nullptr;
}

std::vector<Child> children(const Observation& seen, const Record& record, const Cluster& cluster) {
  const Plan& plan = seen.checked.plan;
  const Informers& informers = cluster.informers;
  std::vector<Child> list;
  const auto add = [&](const Resource& resource, const Informer& informer, Json want) {
    const Key key = key_of(want);
    list.push_back({&resource, std::move(want), informer.find(key)});
  };
  const auto& attempt = seen.situation.attempt;
  add(resource::kConfigMaps, *informers.config_maps, with_hash(config_map(plan)));
  add(resource::kNetworkPolicies, *informers.policies,
      with_hash(
          network_policy(plan, cluster.operator_namespace, attempt ? attempt->control_port : 0)));
  if (needs_budget(record)) {
    add(resource::kBudgets, *informers.budgets,
        with_hash(disruption_budget(plan, attempt ? attempt->nodes : 0)));
  }
  const bool is_current = attempt && attempt->hash == seen.situation.hash && !attempt->deleted;
  if (is_current && record.state == AttemptState::kLive && !attempt->finished()) {
    const Key key{plan.key.name_space, attempt_name(plan.key, record.attempt)};
    if (const auto have = find_job(key, cluster)) {  // one that is gone is not made again
      Plan as_made = plan;
      as_made.queue_labels = queue_labels_of((*have)["metadata"]);  // Kueue may refuse others
      Json want = recorded_job(as_made, record);
      keep_tolerations(*have, want);
      list.push_back({&kMpiJobs, std::move(want), have});
    }
  }
  return list;
}

/// Returns what an object must still be like, whatever it was made for. Of an MPIJob, the pods keep
/// the grace that they were made with, and an edit may concern no pod.
Json lasting_part(Json want, bool is_job) {
  Json& annotations = want["metadata"]["annotations"];
  annotations.erase(kContentHashAnnotation);
  if (!is_job) return want;
  annotations.erase(kRequestAnnotation);
  for (const char* role : {"Launcher", "Worker"}) {
    want["spec"]["mpiReplicaSpecs"][role]["template"]["spec"].erase(
        "terminationGracePeriodSeconds");
  }
  return want;
}

void drop_budget(const GanTraining& training, const Cluster& cluster) {
  const auto have = cluster.informers.budgets->find(training.key);
  if (!have || !is_owned_by(*have, training.uid)) return;
  require_current(training, cluster.client);
  cluster.client.remove(resource::kBudgets, training.key, (*have)["metadata"].value("uid", ""));
}

/// Whether the user's last edit is yet to reach the attempt. Until then the objects beside it differ
/// since they follow the edit.
bool awaits_edit(const Situation& s) {
  const bool has_attempt_of_it = s.attempt && s.attempt->request == s.request;
  return !has_attempt_of_it && s.record.request != s.request;
}

/// Whether others changed a child that differs. Else it is to follow an edit, or another version of
/// the operator.
bool is_changed_by_others(const Child& child, const Situation& s) {
  // No edit changes the MPIJob of an attempt: it gets another attempt.
  if (child.resource == &kMpiJobs) return true;
  const std::string hash = annotation_of(*child.have, kContentHashAnnotation);
  // Older versions of the operator wrote none.
  return hash.empty() ? !awaits_edit(s) : hash == annotation_of(child.want, kContentHashAnnotation);
}

void tell_put_back(const GanTraining& training, const Child& child, const std::string& field,
                   const Cluster& cluster) {
  cluster.events.record(training.reference(),
                        {false, "PutBack",
                         child.resource->plural + " " + key_of(child.want).name + ": " + field +
                             " was changed and has been restored"});
}

/// Creates or restores a child. Returns whether it was missing.
bool keep_child(const GanTraining& training, const Child& child, const Situation& s,
                const Cluster& cluster) {
  if (!child.have) {
    put_owned(cluster.client, *child.resource, child.want);
    return true;
  }
  const bool is_job = child.resource == &kMpiJobs;
  const auto field = difference_of_owned(*child.have, lasting_part(child.want, is_job));
  const bool is_made_for_another =
      difference_of_owned(*child.have, {{"metadata", child.want["metadata"]}}).has_value();
  if (!field && !is_made_for_another) return false;
  apply_owned(cluster.client, *child.resource, child.want, *child.have);
  if (field && is_changed_by_others(child, s)) tell_put_back(training, child, *field, cluster);
  return false;
}

}  // namespace

bool keep_children(const GanTraining& training, const Observation& seen, const Record& record,
                   const Cluster& cluster) {
  if (!needs_budget(record)) drop_budget(training, cluster);
  bool is_missing = false;
  std::optional<NameTaken> taken;
  for (const Child& child : children(seen, record, cluster)) {
    try {
      is_missing = keep_child(training, child, seen.situation, cluster) || is_missing;
    } catch (const NameTaken& error) {
      taken = error;
    }
  }
  if (taken) throw *taken;
  return is_missing;
}

}  // namespace ganscale::controller::gan_training
