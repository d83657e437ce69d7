#pragma once

#include <span>

namespace ganscale::data {

/// The latencies of some reads, in seconds; all 0 if there are none.
struct LatencySummary {
  double mean = 0;  ///< of all or of the latest quarter, whichever is higher: a rise counts at once
  double median = 0;
  double tail = 0;  ///< 95 of 100 reads take no longer
  double slowest = 0;
};

/// Summarizes latencies, oldest first. Quantiles are by nearest rank.
LatencySummary summarize(std::span<const float> latencies_seconds);

}  // namespace ganscale::data
