#pragma once

#include <string>

#include "gan_training/plan/plan.h"
#include "gan_training/spec/gan_training.h"
#include "gan_training/spec/worker_schema.h"

namespace ganscale::controller::gan_training {

/// The plan of a training, or why there is none.
struct Checked {
  Plan plan;
  bool has_spec = false;  ///< plan.spec is valid, even if there is a problem
  bool has_pods = false;  ///< plan.profile is, too
  std::string reason;     ///< one word: BadSpec, UnknownProfile, BadConfig, ...; empty: all is well
  std::string problem;    ///< for people, with the key
};

/// The configuration that spec.configFrom refers to, if it is used.
struct ReferencedConfig {
  std::string text{};
  std::string problem{};  ///< why it could not be read
};

/// Returns what is wrong with gpusPerNode if it is more than a node's profile has.
std::string too_many_gpus(int wanted, int of_node);

/// Makes the plan of a training and performs all checks that need no cluster. Never throws,
/// whatever the spec contains.
Checked check_training(const GanTraining& training, const NodeProfiles& profiles,
                       const WorkerSchema& schema, const ReferencedConfig& referenced);

}  // namespace ganscale::controller::gan_training
