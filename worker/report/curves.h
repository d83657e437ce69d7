#pragma once

#include <vector>

#include "report/chart.h"
#include "report/run_summary.h"

namespace ganscale::report {

/// Returns charts of a run's ticks, as far as there are values: losses, discriminator scores,
/// speed, waiting, reading, learning rates, memory, augmentation.
std::vector<Chart> tick_charts(const RunSummary& run);

/// Returns a chart with one curve for each metric in metrics.jsonl.
std::vector<Chart> metric_charts(const RunSummary& run);

}  // namespace ganscale::report
