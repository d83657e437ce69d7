#pragma once

#include "controller/kind.h"
#include "gan_training/spec/node_profile.h"
#include "gan_training/spec/worker_schema.h"

namespace ganscale::controller::scaling_sweep {

struct KindSettings {
  const gan_training::NodeProfiles& profiles;
  const gan_training::WorkerSchema& schema;
};

/// Returns the entry of ScalingSweep for the table of kinds. Profiles and schema must outlive it.
KindEntry kind(const KindSettings& settings);

}  // namespace ganscale::controller::scaling_sweep
