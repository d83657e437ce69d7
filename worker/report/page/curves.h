#pragma once

#include <vector>

#include "report/page/chart.h"
#include "report/page/run_summary.h"

namespace ganscale::report {

/// Returns charts of a run's ticks, as far as there are values: losses, discriminator scores,
/// speed, waiting, reading, the roles of ranks, learning rates, memory, augmentation.
std::vector<Chart> tick_charts(const RunSummary& run);

/// Returns a chart for each metric in metrics.jsonl, against images seen, with a curve for each
/// average of the generator. It leaves out evaluations that did not measure the metric.
std::vector<Chart> metric_charts(const RunSummary& run);

/// Returns the same against the time of the training, as far as the ticks report it: evaluations
/// between two ticks are interpolated.
std::vector<Chart> metric_time_charts(const RunSummary& run);

}  // namespace ganscale::report
