#include "gan_training/desired/mpi_job.h"

#include "gan_training/desired/config_map.h"
#include "kind/spec_hash.h"

namespace ganscale::controller::gan_training {
namespace {

Json scheduling_policy(const Plan& plan) {
  // The launcher is created once the workers run: a gang that waited for it would never start.
  Json policy = {{"minAvailable", plan.spec.nodes}};
  if (!plan.spec.priority_class.empty()) policy["priorityClass"] = plan.spec.priority_class;
  if (!plan.spec.queue_name.empty()) policy["queue"] = plan.spec.queue_name;
  return policy;
}

Json job_spec(const Plan& plan, const Try& which) {
  const auto replica = [&](Role role, int count) -> Json {
    return {{"replicas", count},
            {"restartPolicy", "Never"},
            {"template", pod_template(plan, role, which)}};
  };
  Json spec = {{"slotsPerWorker", plan.profile.ranks},
               {"launcherCreationPolicy", "WaitForWorkersReady"},
               {"mpiImplementation", "OpenMPI"},
               {"runPolicy",
                // An attempt is one try: restarts are attempts of their own, with all new pods.
                {{"cleanPodPolicy", "Running"},
                 {"backoffLimit", 0},
                 {"schedulingPolicy", scheduling_policy(plan)}}},
               {"mpiReplicaSpecs",
                {{"Launcher", replica(Role::kLauncher, 1)},
                 {"Worker", replica(Role::kWorker, plan.spec.nodes)}}}};
  if (!runs_as_root(plan)) spec["sshAuthMountPath"] = "/home/mpiuser/.ssh";
  return spec;
}

}  // namespace

Json mpi_job(const Plan& plan, const Try& which, const AvoidedNodes& avoided) {
  Json metadata = metadata_of(plan, attempt_name(plan.key, which.attempt));
  metadata["labels"].update(Json(plan.queue_labels));
  metadata["labels"][kAttemptLabel] = std::to_string(which.attempt);
  metadata["annotations"] = {{kRequestAnnotation, plan.request},
                             {kHashAnnotation, plan_hash(plan)},
                             {kConfigHashAnnotation, config_hash(plan)}};
  if (!plan.spec.queue_name.empty()) metadata["labels"][kQueueLabel] = plan.spec.queue_name;
  Json spec = job_spec(plan, which);
  avoid_nodes(spec["mpiReplicaSpecs"]["Worker"]["template"]["spec"], avoided);
  return {{"apiVersion", "kubeflow.org/v2beta1"},
          {"kind", "MPIJob"},
          {"metadata", metadata},
          {"spec", spec}};
}

std::string plan_hash(const Plan& plan) {
  Plan hashed = plan;
  hashed.spec.checkpoint_deadline_seconds = 0;  // the operator heeds it: no pod needs to be new
  return spec_hash(job_spec(hashed, {}).dump() + config_map(plan)["data"].dump());
}

std::string config_hash(const Plan& plan) { return spec_hash(plan.config.dump()); }

}  // namespace ganscale::controller::gan_training
