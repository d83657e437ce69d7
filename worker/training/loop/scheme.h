#pragma once

#include <map>
#include <string>
#include <vector>

#include "training/phases/phase.h"
#include "training/run/progress.h"

namespace ganscale::training {

/// An update that was skipped because of a NaN or infinite gradient.
struct SkippedUpdate {
  std::string phase;
  std::string parameter;  ///< the first such gradient's
};

/// What one step did on this rank.
struct StepResult {
  NamedTensors statistics;                      ///< scalars by name, on the device
  std::map<std::string, double> phase_seconds;  ///< by phase
  std::vector<SkippedUpdate> skipped;
};

/// How the ranks of a run work together: which phases a rank runs and what they exchange.
class Scheme {
 public:
  virtual ~Scheme() = default;

  /// Returns the names of all phases that this rank runs, in their order.
  virtual std::vector<std::string> phase_names() const = 0;

  /// Runs the phases that are due in this step, then moves the average of the generator.
  virtual StepResult step(const StepInput& input, const Progress& progress) = 0;
};

}  // namespace ganscale::training
