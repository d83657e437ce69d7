#pragma once

#include <cstdint>
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

/// The number of reader threads and of batches to prefetch.
struct PrefetchLimits {
  int threads = 1;
  int depth = 1;  ///< batches being filled or ready
  bool operator==(const PrefetchLimits&) const = default;
};

/// What the limits may be.
struct PrefetchRange {
  PrefetchLimits least = {};  ///< where a run begins
  int calm_threads = 1;       ///< most threads while storage is not congested
  PrefetchLimits most = {};
};

/// What the prefetcher measured lately. Times are in seconds.
struct PrefetchWindow {
  std::int64_t read_count = 0;  ///< that `reads` summarizes
  LatencySummary reads = {};    ///< of storage; those in progress count with their age
  double elapsed = 0;
  double stalled = 0;       ///< the part in which the training waited for a batch
  double busy_threads = 0;  ///< mean number of threads that read or decoded
  std::int64_t records_delivered = 0;
  std::int64_t records_per_batch = 1;
};

/// What the controller knows.
struct PrefetchState {
  PrefetchLimits limits = {};  ///< now
  PrefetchLimits calm = {};    ///< to which they return: what the training needs of calm storage

  // What calm storage is like; 0 until it was seen. Kept as it is during a congestion.
  double calm_tail = 0;           ///< of reads, seconds
  double calm_mean = 0;           ///< of reads, seconds
  double records_per_second = 0;  ///< that the training takes

  bool congested = false;
  std::int64_t congestions = 0;  ///< so far
  int quiet_windows = 0;         ///< since the tail of a congestion is gone
  int idle_windows = 0;          ///< in which the calm limits were more than needed
  bool operator==(const PrefetchState&) const = default;
};

/// Returns the state after a window: as many threads and batches, within the range, as keep the
/// training from waiting. `state` of a new run: both limits are range.least.
///
/// Paper:      ParaGAN (Shi, Li & You 2024), the congestion-aware data pipeline. The rules are ours.
/// Congestion: begins when the tail of the reads is above three times its calm value, and ends
///             after three windows with tail and mean below one and a half times theirs. Tails below
///             a millisecond do not count.
/// During it:  adds to the calm threads, by Little's law, the excess mean latency times the calm
///             rate, and half of that; to the calm depth what the slowest read delays. Gives
///             nothing back before the end.
/// Afterward:  a window gives back two thirds of the excess.
/// Calm:       the threads that were busy and half of that; a depth that covers the slowest read.
///             If training waits in more than 2% of the time, half as many threads and a batch more
///             in any case. After eight windows that need less, half of the difference is given
///             back.
PrefetchState next_state(PrefetchState state, const PrefetchWindow& window,
                         const PrefetchRange& range);

}  // namespace ganscale::data
