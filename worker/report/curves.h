#pragma once

#include <vector>

#include "report/chart.h"
#include "report/run_summary.h"

namespace ganscale::report {

/// Returns the charts of a run's ticks, those that it has numbers for: losses, the discriminator's
/// scores, rate, waiting, learning rates, memory, augmentation.
std::vector<Chart> tick_charts(const RunSummary& run);

/// Returns a chart for each metric of metrics.jsonl, of one curve.
std::vector<Chart> metric_charts(const RunSummary& run);

}  // namespace ganscale::report
