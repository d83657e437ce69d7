#include "gan_training/reconcile/children.h"

#include "gan_training/desired/config_map.h"
#include "gan_training/desired/disruption_budget.h"
#include "gan_training/desired/mpi_job.h"
#include "gan_training/desired/network_policy.h"
#include "gan_training/reconcile/attempts.h"
#include "kube/owned.h"
#include "object/difference.h"

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

/// Keeps the tolerations that Kueue copied from the flavor it assigned.
void keep_tolerations(const Json& have, Json& want) {
  if (!is_queued(have) && !is_queued(want)) return;
  for (const char* role : {"Launcher", "Worker"}) {
    const Json::json_pointer path("/spec/mpiReplicaSpecs/" + std::string(role) +
                                  "/template/spec/tolerations");
    want[path] = have.value(path, Json::array());
  }
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
  add(resource::kConfigMaps, *informers.config_maps, config_map(plan));
  add(resource::kNetworkPolicies, *informers.policies,
      network_policy(plan, cluster.operator_namespace, attempt ? attempt->control_port : 0));
  if (needs_budget(record)) {
    add(resource::kBudgets, *informers.budgets,
        disruption_budget(plan, attempt ? attempt->nodes : 0));
  }
  const bool is_current = attempt && attempt->hash == seen.situation.hash && !attempt->deleted;
  if (is_current && record.state == AttemptState::kLive && !attempt->finished()) {
    add(kMpiJobs, *informers.jobs, recorded_job(plan, record));
    if (list.back().have) keep_tolerations(*list.back().have, list.back().want);
  }
  return list;
}

/// Returns what an MPIJob must still be like. Its pods keep the grace that they were made with, and
/// an edit may concern no pod.
Json lasting_part(Json job) {
  job["metadata"]["annotations"].erase(kRequestAnnotation);
  for (const char* role : {"Launcher", "Worker"}) {
    job["spec"]["mpiReplicaSpecs"][role]["template"]["spec"].erase("terminationGracePeriodSeconds");
  }
  return job;
}

void drop_budget(const GanTraining& training, const Cluster& cluster) {
  const auto have = cluster.informers.budgets->find(training.key);
  if (!have || !is_owned_by(*have, training.uid)) return;
  require_current(training, cluster.client);
  cluster.client.remove(resource::kBudgets, training.key, (*have)["metadata"].value("uid", ""));
}

/// Whether the user's last edit is yet to reach the attempt. Until then the objects beside it differ
/// since they follow the edit: nobody else need have changed them.
bool awaits_edit(const Situation& s) {
  const bool has_attempt_of_it = s.attempt && s.attempt->request == s.request;
  return !has_attempt_of_it && s.record.request != s.request;
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
  const auto field = first_difference(*child.have, is_job ? lasting_part(child.want) : child.want);
  const bool serves_another_request =
      is_job && first_difference(*child.have, {{"metadata", child.want["metadata"]}});
  if (!field && !serves_another_request) return false;
  apply_owned(cluster.client, *child.resource, child.want, *child.have);
  // No edit changes the MPIJob of an attempt: it gets another attempt.
  if (field && (is_job || !awaits_edit(s))) tell_put_back(training, child, *field, cluster);
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
