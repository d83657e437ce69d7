#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "comm/group.h"
#include "data/loader/loader_readings.h"
#include "models/networks.h"
#include "tensors/named_tensors.h"
#include "training/phases/skipped_updates.h"
#include "training/run/progress.h"

namespace ganscale::training {

/// What a rank that trains one network alone took from the ranks that train the other one.
struct RoleStep {
  std::string network;      ///< that this rank trains: "generator" or "discriminator"
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

/// What a rank has counted since its training began, beside its steps.
struct Readings {
  data::LoaderReadings loader = {};
  comm::AllReduceCost all_reduce = {};   ///< of gradients
  std::optional<double> augment_p = {};  ///< of an augmentation that has one
};

/// One rank's part in a training: what a scheme makes, and the loop drives step by step.
///
/// Ranks may have different parts (networks, images, statistics) and work at different speeds. They
/// come together at agreements: each rank agrees after so many steps of its own, and as soon as by
/// the progress that it knows something is due; ranks that would then disagree about what is due
/// know no more of each other's progress than reconcile() tells. Between two agreements the loop
/// calls no other rank.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Returns the names of all phases that this rank runs, in their order.
  virtual std::vector<std::string> phase_names() const = 0;
  /// Returns the names of all statistics that its steps may report.
  virtual std::vector<std::string> statistic_names() const = 0;

  /// Takes this rank's next input and trains a step; adds to the progress what this rank knows that
  /// all ranks together have done by it.
  virtual StepResult step(Progress& progress) = 0;
  virtual Readings readings() const = 0;

  /// How many of its steps this rank trains from one agreement to the next; all ranks come to as
  /// many agreements.
  virtual std::int64_t steps_between_agreements() const { return 1; }

  // At an agreement all ranks call what follows.

  /// Makes the progress that of all ranks. Ranks in lockstep know it from their own.
  virtual void reconcile(Progress& /*progress*/) {}
  /// Returns the state of the training by checkpoint file, consistent, on rank 0 all of it: live
  /// tensors, not copies.
  virtual std::map<std::string, NamedTensors> gather_state() = 0;
  /// Returns the average of the generator as it is now.
  virtual models::Generator& averaged_generator() = 0;
};

}  // namespace ganscale::training
