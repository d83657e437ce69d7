#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/json.h"
#include "api/node_profile.h"

namespace ganscale::controller {

inline constexpr const char* kGroup = "ganscale.dev";
inline constexpr const char* kVersion = "v1alpha1";
inline constexpr const char* kApiVersion = "ganscale.dev/v1alpha1";
inline constexpr const char* kKind = "GanTraining";

/// Where an object is: unique in its kind.
struct Key {
  std::string name_space;
  std::string name;
  std::string text() const { return name_space + "/" + name; }
  auto operator<=>(const Key&) const = default;
};

/// Reads metadata.namespace and metadata.name.
Key key_of(const Json& object);

/// A part of a volume claim and where the pods see it.
struct Volume {
  std::string claim_name;  ///< empty: none
  std::string path;        ///< in the pods
  std::string sub_path;
};

struct RestartPolicy {
  int max_restarts = 20;
  int backoff_seconds = 10;       ///< before the first restart; doubled for each further one
  int max_backoff_seconds = 300;  ///< never longer
};

/// What a user asks for: `spec` of a GanTraining.
struct TrainingSpec {
  int nodes = 1;
  std::string node_profile;         ///< name of a profile, or
  std::optional<NodeProfile> node;  ///< the profile itself
  int gpus_per_node = 0;            ///< other than the profile's; 0: the profile's
  std::string image;
  std::string image_pull_policy;
  std::vector<std::string> image_pull_secrets;
  Json config = Json::object();  ///< the worker's configuration
  std::string config_map;        ///< configFrom: the ConfigMap that holds it instead, and
  std::string config_key;        ///< the key of it
  Json evaluation = Json::object();
  Volume data;
  Volume storage;
  bool suspend = false;
  RestartPolicy restart;
  int checkpoint_deadline_seconds = 120;
  std::string priority_class;
  std::string queue_name;
  std::string scheduler_name;
  bool purge = false;  ///< deletePolicy: the run folder goes with the GanTraining
};

/// A GanTraining as it is stored: who it is, what is asked for, what was last said about it.
struct GanTraining {
  Key key;
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;
  bool deleted = false;  ///< marked for deletion
  std::vector<std::string> finalizers;
  Json spec = Json::object();    ///< as it stands, unknown fields of a newer version included
  Json status = Json::object();  ///< the same

  bool has_finalizer() const;  ///< ours
};

/// Reads the identity of a stored object; its spec is read by parse_spec.
GanTraining parse_training(const Json& object);

/// Reads `spec`. Fields that it does not know are a newer version's: left alone.
/// Throws ConfigError with the field's path.
TrainingSpec parse_spec(const Json& spec);

/// Our finalizer: nothing is deleted before a checkpoint was asked for.
inline constexpr const char* kFinalizer = "ganscale.dev/checkpoint";

}  // namespace ganscale::controller
