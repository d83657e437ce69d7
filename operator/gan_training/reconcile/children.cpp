#include "gan_training/reconcile/children.h"

#include "gan_training/desired/config_map.h"
#include "gan_training/desired/disruption_budget.h"
#include "gan_training/desired/mpi_job.h"
#include "gan_training/desired/network_policy.h"
#include "object/difference.h"

namespace ganscale::controller::gan_training {
namespace {

/// An object of a training as it is to be, and our copy of what is there.
struct Child {
  const Resource* resource;
  Json want;
  Informer::Object have;
};

std::vector<Child> children(const Observation& seen, const Record& record, const Cluster& cluster) {
  const Plan& plan = seen.checked.plan;
  const Informers& informers = cluster.informers;
  std::vector<Child> list;
  const auto add = [&](const Resource& resource, const Informer& informer, Json want) {
    const Key key = key_of(want);
    list.push_back({&resource, std::move(want), informer.find(key)});
  };
  add(resource::kConfigMaps, *informers.config_maps, config_map(plan));
  add(resource::kNetworkPolicies, *informers.policies,
      network_policy(plan, cluster.operator_namespace));
  if (record.phase == phase::kRunning) {
    add(resource::kBudgets, *informers.budgets, disruption_budget(plan));
  }
  const auto& attempt = seen.situation.attempt;
  const bool is_current = attempt && attempt->hash == seen.situation.hash && !attempt->deleted;
  if (is_current && record.state == AttemptState::kLive && !attempt->finished()) {
    add(kMpiJobs, *informers.jobs, mpi_job(plan, record.attempt, record.restarts));
  }
  return list;
}

/// A queue gives the pods the tolerations of the nodes that it found for them.
Json without_tolerations(Json job) {
  for (const char* role : {"Launcher", "Worker"}) {
    job["spec"]["mpiReplicaSpecs"][role]["template"]["spec"].erase("tolerations");
  }
  return job;
}

/// Lets the nodes be drained again.
void drop_budget(const GanTraining& training, const Cluster& cluster) {
  const auto have = cluster.informers.budgets->find(training.key);
  if (!have || !is_owned_by(*have, training.uid)) return;
  cluster.client.remove(resource::kBudgets, training.key, (*have)["metadata"].value("uid", ""));
}

/// Applies a child of which this field is not as it should be.
void put_back(const GanTraining& training, const Child& child, const std::string& field,
              const Cluster& cluster) {
  cluster.client.apply(*child.resource, child.want);
  if (!is_owned_by(*child.have, training.uid)) return;
  cluster.events.record(training.reference(),
                        {false, "PutBack",
                         child.resource->plural + " " + key_of(child.want).name + ": " + field +
                             " was changed and has been restored"});
}

}  // namespace

bool keep_children(const GanTraining& training, const Observation& seen, const Record& record,
                   const Cluster& cluster) {
  if (record.phase != phase::kRunning) drop_budget(training, cluster);
  const bool is_queued = !seen.checked.plan.spec.queue_name.empty();
  bool is_missing = false;
  for (const Child& child : children(seen, record, cluster)) {
    if (!child.have) {
      cluster.client.apply(*child.resource, child.want);
      is_missing = true;
      continue;
    }
    const bool is_of_queue = is_queued && child.resource == &kMpiJobs;
    const auto field =
        first_difference(*child.have, is_of_queue ? without_tolerations(child.want) : child.want);
    if (field) put_back(training, child, *field, cluster);
  }
  return is_missing;
}

}  // namespace ganscale::controller::gan_training
