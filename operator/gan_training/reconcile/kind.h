#pragma once

#include <chrono>
#include <string>

#include "controller/kind.h"
#include "gan_training/spec/node_profile.h"
#include "gan_training/spec/worker_schema.h"

namespace ganscale::controller::gan_training {

struct KindSettings {
  const NodeProfiles& profiles;
  const WorkerSchema& schema;
  std::chrono::seconds poll_interval{15};  ///< of a running training's status
};

/// Returns the entry of GanTraining for the table of kinds. Profiles and schema must outlive it.
KindEntry kind(const KindSettings& settings);

}  // namespace ganscale::controller::gan_training
