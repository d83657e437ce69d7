#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planning/model/conditions.h"
#include "planning/model/predict.h"
#include "planning/simulation/steps.h"
#include "wire/role_plan.h"

namespace ganscale::planning {

/// A training, its machine, and the assumptions about both. All of it is borrowed.
struct Setting {
  const Workload& workload;
  const Machine& machine;
  const Assumptions& assumptions;
  const Conditions& conditions;
};

/// A scheme with its options.
struct SchemeChoice {
  std::string scheme = {};                    ///< scheme.name
  std::optional<wire::RoleRatio> ratio = {};  ///< only of asynchronous
  int max_staleness = 0;                      ///< in steps; only of asynchronous
};

/// Returns such as "synchronous" or "asynchronous 1:3, max_staleness 2".
std::string to_text(const SchemeChoice& choice);

/// What a scheme did in the simulated steps.
struct SchemeRun {
  SchemeChoice choice = {};
  StepsTaken taken = {};
  double step_seconds = 0;  ///< on average, until the last rank was done
  double images_per_second = 0;
  double exchange_seconds = 0;  ///< of a step, of the role with more; only of asynchronous
};

/// The schemes on the same GPUs, with the same global batch of images that D sees in a step.
struct SchemeComparison {
  int gpus = 1;
  std::int64_t batch = 1;
  int steps = 0;             ///< of each scheme
  bool cuda_graphs = false;  ///< training.cuda_graphs
  std::vector<SchemeRun> runs = {};
};

/// Whole intervals between agreements.
inline constexpr int kComparedSteps = 32 * wire::kStepsBetweenAgreements;

/// A smaller gain would not be worth the staleness, and may be one of the simulation's noise.
inline constexpr double kLeastGain = 0.01;

/// Returns the ratios, of eight ranks at most, whose sum divides the GPUs of each node, and by
/// which the ranks of each role can divide the batch.
std::vector<wire::RoleRatio> fitting_ratios(const Workload& workload, const Machine& machine,
                                            const Scale& scale);

/// Simulates a number of steps of the same global batch by each scheme:
///
/// - synchronous: all ranks as one team;
/// - asynchronous: the ranks of each role as a team, with the whole batch, for each of the
///   fitting_ratios() with max_staleness 0, 1, 2 and 4. The result has all four of the fastest
///   ratio; of the others, the least that comes within kLeastGain of the fastest. G's phases, the
///   fakes of Dmain and the average are of the first team, the rest of D's phases and the input of
///   the second, each in the steps in which it is due; both also exchange images and snapshots, and
///   share the links between nodes. No CUDA graphs;
/// - per_label: each rank by itself. The only one whose ranks may have two GPUs.
SchemeComparison compare_schemes(const Setting& setting, const Scale& scale, int steps,
                                 std::uint64_t seed);

}  // namespace ganscale::planning
