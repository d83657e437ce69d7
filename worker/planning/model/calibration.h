#pragma once

#include <string>
#include <vector>

#include "planning/model/predict.h"

namespace ganscale::planning {

/// A measurement: the time of 1,000 images, or the efficiency against another scale.
struct MeasuredPoint {
  Scale scale = {};
  double seconds_per_kimg = 0;  ///< 0: the efficiency was measured
  double efficiency = 0;        ///< images a second of a GPU, relative to those at `against`
  Scale against = {};
  config::Location location = {};
};

/// What a file of measurements says.
struct Calibration {
  Assumptions assumptions = {};       ///< from the file, before anything is fitted
  std::vector<std::string> fit = {};  ///< which of them to fit: device, launch_seconds, ...
  std::vector<MeasuredPoint> points = {};
  config::Location fit_location = {};
};

/// Returns what is assumed of a machine if nothing was measured there: the defaults, with the
/// launches of its device.
Assumptions assumed_of(const Machine& machine);

/// Reads measurements:
///
///   fit: [device, synchronize_seconds]
///   points:
///     - {gpus: 1, batch: 32, seconds_per_kimg: 112.5}
///     - {gpus: 2, batch: 32, seconds_per_kimg: 58.6}
///     - {gpus: 32, batch: 64, efficiency: 0.63, against_gpus: 8, against_batch: 64}
///   assume: {jitter: 0.02}
///
/// A point that accumulates gradients says at_once: the images that a GPU takes at a time.
/// `assume` differs from assumed_of(machine). `more` are points in addition to the file's. Throws
/// ConfigError with file, line and key.
Calibration parse_calibration(config::Section in, const Machine& machine,
                              const std::vector<MeasuredPoint>& more = {});

/// Reads what `ganscale bench --json` printed. Throws ConfigError with file, line and key.
MeasuredPoint parse_bench_result(config::Section in, const Machine& machine);

/// Returns the assumptions with the values in `calibration.fit` fitted to its points: the least sum
/// of squared logarithms of the ratio of prediction and measurement. A value stays between a
/// thousandth and a hundred thousand times what it was.
///
/// Throws ConfigError if the points do not show what to fit: too few of them, or a value that
/// changes none.
Assumptions fit(const Calibration& calibration, const Workload& workload, const Machine& machine);

/// Returns what the model says of a point: seconds per kimg, or the efficiency.
double predict_point(const MeasuredPoint& point, const Workload& workload, const Machine& machine,
                     const Assumptions& assumptions);

/// Returns what was measured there.
double measured(const MeasuredPoint& point);

}  // namespace ganscale::planning
