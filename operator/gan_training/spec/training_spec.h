#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gan_training/spec/node_profile.h"
#include "object/json.h"

namespace ganscale::controller::gan_training {

/// A volume claim, or a folder of it, and its mount path in the pods.
struct Volume {
  std::string claim_name;  ///< empty: none
  std::string path;        ///< in the pods
  std::string sub_path;
};

/// The feature network of the metrics: a file in a volume of its own.
struct FeatureNet {
  Volume volume;
  std::string file;  ///< in the volume

  std::string path() const { return volume.path + "/" + file; }  ///< in the pods
};

struct RestartPolicy {
  int max_restarts = 20;
  int backoff_seconds = 10;       ///< before the first restart; doubled for each further one
  int max_backoff_seconds = 300;  ///< never longer
  int avoid_node_seconds = 3600;  ///< after a device of it failed; 0: not at all
};

/// The parsed `spec` of a GanTraining.
struct TrainingSpec {
  int nodes = 1;
  std::string node_profile;         ///< name of a profile, or
  std::optional<NodeProfile> node;  ///< the profile itself
  std::optional<bool> preflight;    ///< other than the profile's
  int gpus_per_node = 0;            ///< other than the profile's; 0: the profile's
  std::string image;
  std::string image_pull_policy;
  std::vector<std::string> image_pull_secrets;
  Json config = Json::object();      ///< the worker's configuration
  std::string config_map;            ///< configFrom: the ConfigMap that holds it instead, and
  std::string config_key;            ///< the key of it
  Json evaluation = Json::object();  ///< keys of the worker's section `evaluate`
  FeatureNet feature_net;
  Volume data;
  Volume storage;
  bool suspend = false;
  RestartPolicy restart;
  int checkpoint_deadline_seconds = 120;
  std::optional<int> scheduling_deadline_seconds;  ///< for all workers to run; absent: none
  std::optional<int> progress_deadline_seconds;    ///< for another image; absent: none
  std::string required_topology;       ///< node label that all workers must share: Kueue's
  std::string preferred_topology;      ///< the same, if it can be had
  std::optional<int> ttl_seconds;      ///< after its end, when it is deleted; absent: never
  Json pod_template = Json::object();  ///< overlays of the pods: see plan/pod_overlay.h
  std::string priority_class;
  std::string queue_name;
  std::string scheduler_name;
  bool purge = false;  ///< deletePolicy: the run folder is deleted with the GanTraining
};

/// Parses `spec`. Ignores unknown fields, which belong to newer versions. Throws ConfigError with
/// the field's path.
TrainingSpec parse_spec(const Json& spec);

}  // namespace ganscale::controller::gan_training
