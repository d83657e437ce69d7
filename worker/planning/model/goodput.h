#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planning/model/conditions.h"
#include "planning/model/scaling.h"
#include "planning/model/scheme_simulation.h"

namespace ganscale::planning {

/// An interval between checkpoints, and the share of the time that advances a run with it.
struct IntervalGoodput {
  double seconds = 0;
  double kimg = 0;     ///< of the run; of a label, which has its own checkpoints, with kPerLabel
  double goodput = 0;  ///< simulated
};

/// What checkpoints and failures cost a run on a number of GPUs.
struct GoodputRow {
  int gpus = 1;
  double hours_between_failures = 0;
  IntervalGoodput best = {};                       ///< by Daly's formula
  std::optional<IntervalGoodput> configured = {};  ///< with checkpoint.every_kimg, if it is set
};

/// Goodput against the interval, for a failure rate.
struct GoodputCurve {
  double rank_hours_between_failures = 0;
  double best_seconds = 0;
  std::vector<IntervalGoodput> points = {};
};

/// What `ganscale plan --simulate` reports.
struct SimulatedRuns {
  SchemeComparison schemes = {};
  std::vector<GoodputRow> rows = {};      ///< for each of a scaling
  std::vector<GoodputCurve> curves = {};  ///< on the GPUs of the schemes
};

/// Simulates the schemes on the GPUs of a scaling's last row, runs with failures on the GPUs of all
/// rows, and, for the last row, runs with ten times and a tenth of the failures as well.
///
/// every_kimg: between checkpoints, as configured; 0: none. The same seed gives the same runs.
SimulatedRuns simulate_runs(const Scaling& scaling, const Setting& setting, double every_kimg,
                            std::uint64_t seed);

}  // namespace ganscale::planning
