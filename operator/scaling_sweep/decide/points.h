#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scaling_sweep/decide/record.h"
#include "scaling_sweep/plan/plan.h"
#include "scaling_sweep/statistics/scaling_fit.h"
#include "scaling_sweep/statistics/summary.h"

namespace ganscale::controller::scaling_sweep {

/// The times of a step in seconds, medians over the repeats: where they go, and how they vary.
struct StepTimes {
  double compute = 0;
  double all_reduce = 0;  ///< waiting for gradients, with nothing to compute
  double data_wait = 0;
  double role_wait = 0;  ///< waiting for the ranks of the other role (scheme asynchronous)
  double median = 0;     ///< of the steps of rank 0
  double p99 = 0;

  double total() const { return compute + all_reduce + data_wait + role_wait; }
};

/// The combined results of the repeats of a point. Whole trainings (mode PerLabel) have a duration
/// instead of steps.
struct PointResult {
  int measured = 0;  ///< repeats with a result
  int failed = 0;
  double images_per_second = 0;              ///< median
  std::optional<Interval> interval;          ///< 95%, of images_per_second
  std::optional<double> variation;           ///< coefficient of it
  std::optional<double> speedup;             ///< rate over the baseline's
  std::optional<Interval> speedup_interval;  ///< absent for the baseline, which is 1
  std::optional<double> efficiency;          ///< speedup over the ratio of ranks
  std::optional<double> communication;       ///< share of a step, in [0, 1]
  std::optional<double> completion_seconds;  ///< of a whole training, on its slowest rank; median
  std::optional<StepTimes> step;
  double straggler_ratio = 1;
  std::optional<double> memory_share;  ///< the highest
  std::optional<double> gpu_use;       ///< median
  std::vector<std::string> nodes;      ///< of all repeats
  std::vector<std::string> image_ids;  ///< of all repeats
  std::vector<std::string> warnings;   ///< reasons to doubt the figures
};

/// The results of a sweep so far.
struct Summary {
  std::vector<PointResult> points;  ///< one for each of the plan
  std::optional<std::size_t> best;  ///< the point with the highest rate
  std::optional<ScalingFit> amdahl;
  std::optional<ScalingFit> usl;
};

Summary summarize(const Plan& plan, const Record& record);

}  // namespace ganscale::controller::scaling_sweep
