#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "comm/group/group.h"
#include "data/loader/loader_readings.h"
#include "tensors/named_tensors.h"
#include "training/phases/skipped_updates.h"
#include "wire/role_plan.h"

namespace ganscale::training {

/// What a rank that trains only one network took from the ranks that train the other one.
struct RoleStep {
  wire::Role network = wire::Role::kGenerator;  ///< that this rank trains
  std::int64_t images = 0;  ///< reals shown to the discriminator, or fakes made for it
  std::int64_t age = 0;     ///< of the weights or images that it used, in steps
  double wait_seconds = 0;
};

/// What one step did on this rank.
struct StepResult {
  std::int64_t images = 0;  ///< real images that this rank showed its discriminator
  std::int64_t generator_steps = 0;
  std::int64_t discriminator_steps = 0;
  NamedTensors statistics = {};                      ///< scalars by name, on the device
  std::map<std::string, double> phase_seconds = {};  ///< by phase
  std::vector<SkippedUpdate> skipped = {};           ///< of this step or the one before
  std::optional<RoleStep> role = {};
};

/// What a rank has counted since its training began, in addition to its steps.
struct Readings {
  data::LoaderReadings loader = {};
  comm::AllReduceCost all_reduce = {};   ///< of gradients
  std::optional<double> augment_p = {};  ///< of an augmentation that has one
};

}  // namespace ganscale::training
