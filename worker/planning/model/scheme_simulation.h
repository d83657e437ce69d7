#pragma once

#include <string>
#include <vector>

#include "planning/model/conditions.h"
#include "planning/model/predict.h"
#include "planning/simulation/steps.h"

namespace ganscale::planning {

/// A training, its machine, and the assumptions about both. All of it is borrowed.
struct Setting {
  const Workload& workload;
  const Machine& machine;
  const Assumptions& assumptions;
  const Conditions& conditions;
};

/// What a scheme did in the simulated steps.
struct SchemeRun {
  std::string scheme = {};
  StepsTaken taken = {};
  double step_seconds = 0;  ///< on average, until the last rank was done
  double images_per_second = 0;
};

/// Simulates a number of steps of the same global batch by each scheme:
///
/// - synchronous: all ranks as one team;
/// - asynchronous: half the ranks train G and half D, each half with the whole batch. G's phases and
///   the average are of the former, D's and the input of the latter. On one rank: left out;
/// - per_label: each rank by itself. The only one whose ranks may have two GPUs.
std::vector<SchemeRun> simulate_schemes(const Setting& setting, const Scale& scale, int steps,
                                        std::uint64_t seed);

}  // namespace ganscale::planning
