#pragma once

#include <map>
#include <string>

#include "api/gan_training.h"
#include "api/node_profile.h"

namespace ganscale::controller {

/// All that the objects of a training are made of.
struct Plan {
  Key key;
  std::string uid;
  TrainingSpec spec;
  NodeProfile profile;           ///< resolved, with gpusPerNode applied
  Json config = Json::object();  ///< what the worker reads: see worker_config()

  int ranks() const { return spec.nodes * profile.ranks; }
  int gpus() const { return spec.nodes * profile.gpus; }
};

using Labels = std::map<std::string, std::string>;

inline constexpr const char* kTrainingLabel = "ganscale.dev/training";
inline constexpr const char* kAttemptLabel = "ganscale.dev/attempt";
inline constexpr const char* kRoleLabel = "ganscale.dev/role";
inline constexpr const char* kHashAnnotation = "ganscale.dev/spec-hash";
inline constexpr const char* kConfigHashAnnotation = "ganscale.dev/config-hash";

/// Returns the labels that every object of a training bears.
Labels labels_of(const Key& key);

/// Returns metadata with name, namespace, labels and the training as owner.
Json metadata_of(const Plan& plan, const std::string& name);

/// Lays what the operator decides upon the user's configuration: where data and control port are.
Json worker_config(const TrainingSpec& spec, const Json& config);

/// The folder of the run on the storage volume, as the pods see it.
std::string run_folder(const Plan& plan);

/// Names of the objects of a training.
std::string config_map_name(const Key& key);
std::string secret_name(const Key& key);
std::string attempt_name(const Key& key, int attempt);
std::string purge_job_name(const Key& key);

/// The port of rank 0 that tells the status; 0 if the configuration switches it off.
int control_port(const Json& config);
/// The port of each node that tells metrics; 0 if the configuration switches it off.
int metrics_port(const Json& config);

}  // namespace ganscale::controller
