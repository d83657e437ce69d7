#pragma once

#include <span>
#include <vector>

#include "data/loader/prefetch_control.h"

namespace ganscale::data {

/// Measures the reads and batches of a prefetcher in a sliding window, and asks next_state() for its
/// limits. Has no clock: times are seconds since any moment, passed in. Not thread safe.
///
/// The window slides by intervals, of which it spans two: an interval ends with two batches, or when
/// they are late, but lasts at least five milliseconds.
class PrefetchMeter {
 public:
  PrefetchMeter(const PrefetchRange& range, std::int64_t records_per_batch, double now);

  /// Counts a record. read_seconds: what storage took. busy_seconds: with its decoding.
  void add_read(double read_seconds, double busy_seconds);
  /// Counts time in which the training waited.
  void add_wait(double seconds) { current_.stalled += seconds; }
  /// Counts a batch that the training took. The first one starts the measurement.
  void add_batch(double now);

  /// Returns when the interval ends even if no further batch is taken.
  double latest_end() const;
  /// Returns whether the interval is over.
  bool is_over(double now) const;
  /// Ends the interval, and renews the limits. ages_seconds: of reads in progress that already
  /// take longer than calm ones.
  void end_interval(double now, std::span<const float> ages_seconds);

  const PrefetchState& state() const { return state_; }
  /// Returns the latencies of the reads in the latest window.
  const LatencySummary& reads() const { return reads_; }

 private:
  struct Interval {
    double start = 0;
    double elapsed = 0;
    double stalled = 0;
    double busy = 0;  // sum over threads
    std::int64_t batches = 0;
    std::vector<float> latencies = {};
  };

  PrefetchRange range_;
  std::int64_t records_per_batch_;
  PrefetchState state_;
  LatencySummary reads_;
  Interval previous_;
  Interval current_;
  bool has_started_ = false;
};

}  // namespace ganscale::data
