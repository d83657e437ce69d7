#pragma once

#include <string>

#include "gan_training/spec/node_profile.h"
#include "gan_training/spec/worker_schema.h"
#include "scaling_sweep/plan/plan.h"

namespace ganscale::controller::scaling_sweep {

/// The plan of a sweep, or why there is none.
struct Checked {
  Plan plan;
  std::string reason;   ///< one word: BadSpec, BadTemplate, BadPoint, ...; empty: all is well
  std::string problem;  ///< for people, with the key
};

/// Makes the plan of a sweep: checks each point's GanTraining as the operator and the API server
/// will. Never throws, whatever the spec contains.
Checked check_sweep(const ScalingSweep& sweep, const gan_training::NodeProfiles& profiles,
                    const gan_training::WorkerSchema& schema);

}  // namespace ganscale::controller::scaling_sweep
