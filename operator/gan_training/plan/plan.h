#pragma once

#include <string>

#include "base/enum_names.h"
#include "gan_training/spec/gan_training.h"
#include "gan_training/spec/training_spec.h"
#include "kind/owned.h"
#include "wire/scheme.h"

namespace ganscale::controller::gan_training {

/// Everything that the objects of a training are built from.
struct Plan {
  Key key;
  std::string uid;
  std::string
      request;  ///< the generation of the spec, and a hash of the configuration it refers to
  TrainingSpec spec;
  NodeProfile profile;                              ///< resolved, with gpusPerNode applied
  Json config = Json::object();                     ///< what the worker reads: see worker_config()
  std::map<std::string, std::string> queue_labels;  ///< of the MPIJob, for its queue

  int ranks() const { return spec.nodes * profile.ranks; }
  int gpus() const { return spec.nodes * profile.gpus; }
};

inline constexpr const char* kTrainingLabel = "ganscale.dev/training";
inline constexpr const char* kAttemptLabel = "ganscale.dev/attempt";
inline constexpr const char* kRoleLabel = "ganscale.dev/role";
inline constexpr const char* kQueueLabel = "kueue.x-k8s.io/queue-name";
inline constexpr const char* kRequestAnnotation = "ganscale.dev/request";
inline constexpr const char* kHashAnnotation = "ganscale.dev/spec-hash";
inline constexpr const char* kConfigHashAnnotation = "ganscale.dev/config-hash";
inline constexpr const char* kContentHashAnnotation = "ganscale.dev/content-hash";

/// The name of the workers' port for status and commands.
inline constexpr const char* kControlPort = "control";
/// The port of the workers' sshd.
inline constexpr int kSshPort = 2222;

/// What a pod of a training does.
enum class Role { kLauncher, kWorker, kPurge };

/// Their names: of the label kRoleLabel and of the pods' own containers.
inline constexpr EnumNames<Role, 3> kRoles{{
    {Role::kLauncher, "launcher"},
    {Role::kWorker, "worker"},
    {Role::kPurge, "purge"},
}};

/// Returns the labels of every object of a training.
Labels labels_of(const Key& key);

/// Returns whether an MPIJob or a Job is in a queue: that of the spec, or one that Kueue chose.
bool is_queued(const Json& job);

/// Returns metadata with name, namespace, labels and the training as owner.
Json metadata_of(const Plan& plan, const std::string& name);

/// Returns a section of a configuration; one that is missing becomes an empty map. Throws
/// ConfigError if it is not a map.
Json& section_of(Json& config, const char* name);

/// Returns the user's configuration with the operator's own settings: data path, address, ports and
/// token. Throws ConfigError if a section that it changes is not a map.
Json worker_config(const TrainingSpec& spec, const Json& config);

/// The folder of the run on the storage volume, as the pods see it.
std::string run_folder(const Plan& plan);
/// Returns the claim and subPath of the storage volume; empty if there is none.
std::string storage_of(const Plan& plan);

/// Names of the objects of a training. The MPI Operator makes a ConfigMap MPIJOB-config and a
/// Secret MPIJOB-ssh: ours end otherwise, as a GanTraining may have the name of another's MPIJob.
std::string config_map_name(const Key& key);
std::string secret_name(const Key& key);
std::string attempt_name(const Key& key, int attempt);
std::string purge_job_name(const Key& key);

/// The control port of rank 0; 0 if the configuration disables it.
int control_port(const Json& config);
/// The model that the configuration names, else the worker's default; empty if it is a preset's,
/// which only the worker knows.
std::string configured_model(const Json& config);
/// What the ranks share, by the scheme that the configuration names.
wire::Sharing sharing_of(const Json& config);
/// The GPUs of a process: 2 if the generator and the discriminator have one each, else 1.
int devices_per_process(const Json& config);
/// The metrics port of each node; 0 if the configuration disables it.
int metrics_port(const Json& config);

}  // namespace ganscale::controller::gan_training
