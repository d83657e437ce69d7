#include "desired/mpi_job.h"

#include <openssl/evp.h>

#include "desired/config_map.h"
#include "desired/pod.h"

namespace ganscale::controller {
namespace {

constexpr int kPurgeDeadlineSeconds = 3600;

std::string sha256(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length_bytes = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &length_bytes, EVP_sha256(), nullptr);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (std::size_t i = 0; i < 8; ++i) {  // 64 bits tell one user's edits apart
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

Json scheduling_policy(const Plan& plan) {
  // The launcher is created once the workers run: a gang that waited for it would never start.
  Json policy = {{"minAvailable", plan.spec.nodes}};
  if (!plan.spec.priority_class.empty()) policy["priorityClass"] = plan.spec.priority_class;
  if (!plan.spec.queue_name.empty()) policy["queue"] = plan.spec.queue_name;
  return policy;
}

Json job_spec(const Plan& plan, int attempt, int restarts) {
  const auto replica = [&](Role role, int count) -> Json {
    return {{"replicas", count},
            {"restartPolicy", "Never"},
            {"template", pod_template(plan, role, attempt, restarts)}};
  };
  Json spec = {{"slotsPerWorker", plan.profile.ranks},
               {"launcherCreationPolicy", "WaitForWorkersReady"},
               {"mpiImplementation", "OpenMPI"},
               {"runPolicy",
                // An attempt is one try: restarts are attempts of their own, with all pods anew.
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

Json mpi_job(const Plan& plan, int attempt, int restarts) {
  Json metadata = metadata_of(plan, attempt_name(plan.key, attempt));
  metadata["labels"][kAttemptLabel] = std::to_string(attempt);
  metadata["annotations"] = {{kHashAnnotation, plan_hash(plan)},
                             {kConfigHashAnnotation, config_hash(plan)}};
  if (!plan.spec.queue_name.empty()) {
    metadata["labels"]["kueue.x-k8s.io/queue-name"] = plan.spec.queue_name;
  }
  return {{"apiVersion", "kubeflow.org/v2beta1"},
          {"kind", "MPIJob"},
          {"metadata", metadata},
          {"spec", job_spec(plan, attempt, restarts)}};
}

std::string plan_hash(const Plan& plan) {
  return sha256(job_spec(plan, 0, 0).dump() + config_map(plan)["data"].dump());
}

std::string config_hash(const Plan& plan) { return sha256(plan.config.dump()); }

Json purge_job(const Plan& plan) {
  Json pod = pod_around(plan, Role::kPurge,
                        {{"name", "purge"},
                         {"command", {"/bin/rm", "-rf", run_folder(plan)}},
                         {"resources",
                          {{"requests", {{"cpu", "100m"}, {"memory", "64Mi"}}},
                           {"limits", {{"cpu", "1"}, {"memory", "256Mi"}}}}},
                         {"volumeMounts", Json::array({storage_mount(plan)})}});
  pod["volumes"] = Json::array({storage_volume(plan)});
  pod["restartPolicy"] = "Never";
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", metadata_of(plan, purge_job_name(plan.key))},
          {"spec",
           {{"backoffLimit", 3},
            // Also for a pod that never starts: without the Job's end the training would stay.
            {"activeDeadlineSeconds", kPurgeDeadlineSeconds},
            {"template", {{"spec", pod}}}}}};
}

}  // namespace ganscale::controller
