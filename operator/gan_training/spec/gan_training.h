#pragma once

#include <map>
#include <string>
#include <vector>

#include "object/stored_object.h"

namespace ganscale::controller::gan_training {

inline constexpr const char* kApiVersion = "ganscale.dev/v1alpha1";
inline constexpr const char* kKind = "GanTraining";

inline const Resource kTrainings{kApiVersion, "gantrainings"};

/// A GanTraining as stored by the API server.
struct GanTraining : StoredObject {
  GanTraining() : StoredObject{kTrainings, kKind} {}

  std::vector<std::string> finalizers;
  std::map<std::string, std::string> queue_labels;  ///< see queue_labels_of()

  bool has_finalizer() const;  ///< ours
};

/// Returns the labels that Kueue reads of an MPIJob, other than its queue's name, which is that of
/// spec.queueName.
std::map<std::string, std::string> queue_labels_of(const Json& metadata);

/// Reads the identity of a stored object; its spec is read by parse_spec().
GanTraining parse_training(const Json& object);

/// The operator's finalizer: a checkpoint is requested before anything is deleted.
inline constexpr const char* kFinalizer = "ganscale.dev/checkpoint";

}  // namespace ganscale::controller::gan_training
