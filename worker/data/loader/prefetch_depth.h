#pragma once

#include <cstdint>
#include <span>

namespace ganscale::data {

/// The number of reader threads and of batches to prefetch.
struct PrefetchLimits {
  int threads = 1;
  int depth = 1;  ///< batches being filled or ready
  bool operator==(const PrefetchLimits&) const = default;
};

/// Recent measurements of the prefetcher.
struct PrefetchWindow {
  std::span<const float> latencies_seconds;  ///< of single records, oldest first
  double elapsed_seconds = 0;
  double stall_seconds = 0;  ///< the part in which the training waited for a batch
  std::int64_t records_delivered = 0;
  std::int64_t records_per_batch = 1;
};

/// Returns the threads and depth that keep the training from waiting, between `least` and `most`.
///
/// Paper:   ParaGAN (Shi, Li & You 2024), the congestion-aware data pipeline. The rule is ours.
/// Threads: Little's law, latency times throughput, plus half of that. The latency is the mean of
///          the window or of its latest quarter, whichever is higher: increases count at once,
///          decreases only after a whole window.
/// Depth:   enough batches to cover the slowest record of the window.
/// Stalls of more than 2% of the time add half as many threads and one batch in any case. Threads
/// and batches that are no longer needed are released one at a time.
PrefetchLimits prefetch_depth(const PrefetchWindow& window, PrefetchLimits now,
                              PrefetchLimits least, PrefetchLimits most);

}  // namespace ganscale::data
