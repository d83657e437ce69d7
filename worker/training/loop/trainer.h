#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/contract/networks.h"
#include "tensors/named_tensors.h"
#include "training/phases/step_result.h"
#include "training/replica/generator_average.h"
#include "training/run/progress.h"

namespace ganscale::training {

/// One rank's part in a training: what a scheme makes, and the loop drives step by step.
///
/// Ranks may have different parts (networks, images, statistics) and work at different speeds. They
/// communicate at agreements only: a rank comes to one after steps_between_agreements() of its
/// steps, and earlier if something is due by its progress. All must come to the same agreements, so
/// ranks that do not share each step learn each other's progress only from reconcile().
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Returns the names of all phases that this rank runs, in their order.
  virtual std::vector<std::string> phase_names() const = 0;
  /// Returns the names of all statistics that its steps may report.
  virtual std::vector<std::string> statistic_names() const = 0;

  /// Takes this rank's next input and trains a step; adds to the progress what, as far as this
  /// rank knows, all ranks together have done.
  virtual StepResult step(Progress& progress) = 0;
  virtual Readings readings() const = 0;

  /// How many of its steps this rank trains from one agreement to the next; all ranks come to as
  /// many agreements.
  virtual std::int64_t steps_between_agreements() const { return 1; }

  // At an agreement all ranks call what follows.

  /// Combines the progress of all ranks. Ranks in lockstep know it from their own.
  virtual void reconcile(Progress& /*progress*/) {}
  /// Returns the state of the training by checkpoint file, consistent, on rank 0 all of it: live
  /// tensors, not copies.
  virtual std::map<std::string, NamedTensors> gather_state() = 0;
  /// Returns the average of the generator as it is now.
  virtual models::Generator& averaged_generator() = 0;
  /// Returns the averages with other half-lives, as they are now.
  virtual std::vector<OtherAverage> other_averages() { return {}; }
};

}  // namespace ganscale::training
