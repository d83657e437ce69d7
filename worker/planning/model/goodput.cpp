#include "planning/model/goodput.h"

#include <algorithm>
#include <array>

#include "planning/simulation/attempts.h"

namespace ganscale::planning {
namespace {

/// Enough that the share which failures cost is known to a tenth of itself.
constexpr double kFailures = 100;
/// Of one simulation: if there are more, checkpoints cost far more than failures.
constexpr double kMostIntervals = 100'000;
constexpr std::array kIntervalSeconds = {10.0,  30.0,   60.0,   120.0,  300.0,
                                         600.0, 1800.0, 3600.0, 7200.0, 14400.0};
constexpr std::array kFailureRates = {10.0, 1.0, 0.1};  // times the conditions' rate

IntervalGoodput goodput_of(const Reliability& reliability, double interval_seconds,
                           double seconds_per_kimg, std::uint64_t seed) {
  const PlannedRun run = {
      .training_seconds = std::min(kFailures * reliability.seconds_between_failures,
                                   kMostIntervals * interval_seconds),
      .interval_seconds = interval_seconds};
  return {.seconds = interval_seconds,
          .kimg = interval_seconds / seconds_per_kimg,
          .goodput = simulate_attempts(run, reliability, seed).goodput()};
}

/// Returns the seconds of 1,000 images of what has checkpoints of its own: the run, or a label.
double seconds_of_own_kimg(const ScalingRow& row, Mode mode) {
  return row.seconds_per_kimg * (mode == Mode::kPerLabel ? row.scale.ranks() : 1);
}

GoodputRow row_of(const ScalingRow& row, Mode mode, const Setting& setting, double every_kimg,
                  std::uint64_t seed) {
  const Reliability reliability =
      reliability_of(setting.assumptions, setting.conditions, row.scale.gpus, row.nodes);
  const double seconds_per_kimg = seconds_of_own_kimg(row, mode);
  const auto goodput = [&](double seconds) {
    return goodput_of(reliability, seconds, seconds_per_kimg, seed);
  };
  GoodputRow result{.gpus = row.scale.gpus,
                    .hours_between_failures = reliability.seconds_between_failures / 3600,
                    .best = goodput(best_interval(reliability))};
  if (every_kimg > 0) result.configured = goodput(every_kimg * seconds_per_kimg);
  return result;
}

GoodputCurve curve_of(const ScalingRow& row, Mode mode, const Setting& setting, double rate,
                      std::uint64_t seed) {
  Conditions conditions = setting.conditions;
  conditions.rank_hours_between_failures /= rate;
  const Reliability reliability =
      reliability_of(setting.assumptions, conditions, row.scale.gpus, row.nodes);
  const double seconds_per_kimg = seconds_of_own_kimg(row, mode);
  GoodputCurve curve{.rank_hours_between_failures = conditions.rank_hours_between_failures,
                     .best_seconds = best_interval(reliability)};
  for (const double seconds : kIntervalSeconds) {
    curve.points.push_back(goodput_of(reliability, seconds, seconds_per_kimg, seed));
  }
  return curve;
}

}  // namespace

SimulatedRuns simulate_runs(const Scaling& scaling, const Setting& setting, double every_kimg,
                            std::uint64_t seed) {
  const ScalingRow& last = scaling.rows.back();
  const Mode mode = scaling.question.mode;
  SimulatedRuns runs{.schemes = compare_schemes(setting, last.scale, kComparedSteps, seed)};
  for (const ScalingRow& row : scaling.rows) {
    runs.rows.push_back(row_of(row, mode, setting, every_kimg, seed));
  }
  for (const double rate : kFailureRates) {
    runs.curves.push_back(curve_of(last, mode, setting, rate, seed));
  }
  return runs;
}

}  // namespace ganscale::planning
