#pragma once

#include <string>

#include "api/gan_training.h"
#include "api/worker_schema.h"
#include "desired/plan.h"

namespace ganscale::controller {

/// A training as it is to run, or why it can't.
struct Checked {
  Plan plan;
  std::string reason;   ///< one word: BadSpec, UnknownProfile, BadConfig, ...; empty: all is well
  std::string problem;  ///< for people, with the key
};

/// Makes the plan of a training, and checks all that can be checked without a cluster.
///
/// config_from: the text under spec.configFrom, where that is used.
Checked check_training(const GanTraining& training, const NodeProfiles& profiles,
                       const WorkerSchema& schema, const std::string& config_from);

}  // namespace ganscale::controller
