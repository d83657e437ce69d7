#pragma once

#include <string>
#include <vector>

#include "kube/resource.h"
#include "object/event.h"
#include "object/json.h"
#include "object/key.h"

namespace ganscale::controller::gan_training {

inline constexpr const char* kApiVersion = "ganscale.dev/v1alpha1";
inline constexpr const char* kKind = "GanTraining";

inline const Resource kTrainings{kApiVersion, "gantrainings"};

/// A GanTraining as stored by the API server: identity, spec and status.
struct GanTraining {
  Key key;
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;
  bool deleted = false;  ///< marked for deletion
  std::vector<std::string> finalizers;
  Json spec = Json::object();    ///< as stored, including unknown fields of newer versions
  Json status = Json::object();  ///< the same

  bool has_finalizer() const;  ///< ours
  ObjectReference reference() const { return {kApiVersion, kKind, key, uid}; }
};

/// Reads the identity of a stored object; its spec is read by parse_spec().
GanTraining parse_training(const Json& object);

/// The operator's finalizer: a checkpoint is requested before anything is deleted.
inline constexpr const char* kFinalizer = "ganscale.dev/checkpoint";

}  // namespace ganscale::controller::gan_training
