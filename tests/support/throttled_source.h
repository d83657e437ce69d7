#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "base/random.h"
#include "data/formats/file_bytes.h"
#include "data/image/source.h"

namespace ganscale::data {

/// How slow and unreliable a storage is. Times are in seconds.
struct Throttle {
  double latency = 0;
  double jitter = 0;           ///< up to so much more, at random
  double period = 1;           ///< each one ends with a congestion
  double congested_share = 0;  ///< the part of a period that it takes
  double congested_factor = 20;
  double congested_reads = 1;  ///< the part of its reads that it slows down
  double stall = 0;            ///< what some reads take in addition
  double stall_probability = 0;
  double error_probability = 0;
  std::uint64_t seed = 1;
};

/// Returns whether storage is congested so many seconds after the start.
inline bool is_congested(const Throttle& throttle, double now) {
  const double phase = std::fmod(now, throttle.period) / throttle.period;
  return phase >= 1 - throttle.congested_share;
}

/// What happens to a read.
struct Trouble {
  double seconds = 0;
  bool fails = false;
};

/// Returns what happens to a read by its number and the time of its begin. A pure function: the
/// schedule depends on nothing but the seed.
inline Trouble trouble_of(const Throttle& throttle, std::int64_t number, double now) {
  const std::array<std::uint32_t, 4> words =
      philox({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), 0, 0},
             random_key(throttle.seed));
  const auto random = [&](int word) { return words[static_cast<std::size_t>(word)] / 0x1p32; };
  const bool is_slow = is_congested(throttle, now) && random(0) < throttle.congested_reads;
  Trouble trouble;
  trouble.seconds =
      (throttle.latency + random(1) * throttle.jitter) * (is_slow ? throttle.congested_factor : 1);
  if (random(2) < throttle.stall_probability) trouble.seconds += throttle.stall;
  trouble.fails = random(3) < throttle.error_probability;
  return trouble;
}

/// Another source behind a slow and unreliable storage, on a seeded schedule.
class ThrottledSource : public Source {
 public:
  using Clock = std::function<double()>;
  using Pause = std::function<void(double seconds)>;

  /// source: must outlive this. clock: returns the seconds since the start. pause: waits.
  ThrottledSource(const Source& source, const Throttle& throttle, Clock clock, Pause pause)
      : source_(source), throttle_(throttle), clock_(std::move(clock)), pause_(std::move(pause)) {}

  std::set<std::int64_t> lost;  ///< records whose reads never succeed

  std::int64_t record_count() const override { return source_.record_count(); }
  std::int64_t label_count() const override { return source_.label_count(); }
  std::int64_t label(std::int64_t index) const override { return source_.label(index); }
  std::string describe(std::int64_t index) const override { return source_.describe(index); }
  void read(std::int64_t index, Record& record) const override {
    const Trouble trouble = trouble_of(throttle_, reads_++, clock_());
    if (trouble.seconds > 0) pause_(trouble.seconds);
    if (lost.contains(index)) throw DataError("lost");
    if (trouble.fails) throw TransientReadError("the network is down");
    source_.read(index, record);
  }
  /// Returns the number of reads so far, those that failed included.
  std::int64_t reads() const { return reads_; }

 private:
  const Source& source_;
  Throttle throttle_;
  Clock clock_;
  Pause pause_;
  mutable std::atomic<std::int64_t> reads_ = 0;
};

}  // namespace ganscale::data
