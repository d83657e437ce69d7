#pragma once

#include <cstdint>
#include <span>

namespace ganscale::data {

/// How many reader threads and how many batches ahead.
struct PrefetchLimits {
  int threads = 1;
  int depth = 1;  ///< batches being filled or ready
  bool operator==(const PrefetchLimits&) const = default;
};

/// What the prefetcher saw lately.
struct PrefetchWindow {
  std::span<const float> latencies_seconds;  ///< of single records, oldest first
  double elapsed_seconds = 0;
  double stall_seconds = 0;  ///< the part of it that the training step waited for a batch
  std::int64_t records_delivered = 0;
  std::int64_t records_per_batch = 1;
};

/// Returns the effort that keeps the training step from waiting, between `least` and `most`.
///
/// Paper: ParaGAN (Shi, Li & You 2024), the congestion-aware data pipeline. The rule is ours.
/// Threads: Little's law, latency times the rate of delivery, with half as many to spare; the
/// latency
///          is the mean of the window or of its newest quarter, whichever is higher, so that a rise
///          counts at once and a fall once the window has seen it.
/// Depth:   enough batches to live on while the slowest record of the window comes in.
/// A stall of more than 2% of the time adds half as many threads and a batch in any case. What is
/// no longer needed is given back by one thread and one batch at a time.
PrefetchLimits prefetch_depth(const PrefetchWindow& window, PrefetchLimits now,
                              PrefetchLimits least, PrefetchLimits most);

}  // namespace ganscale::data
