#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>

#include "base/non_copyable.h"

namespace ganscale::report {

/// The progress of a long operation.
struct Advance {
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::int64_t done_at_start = 0;  ///< done by an earlier run: not part of the rate
  double seconds = 0;              ///< since the start of this run
};

/// Returns the progress bar for a terminal of `width` characters. `unit` is plural: "images".
///
///   [=========>                    ]  31%  77,824/250,000 images  1250/s  left 2m 18s
std::string progress_line(const Advance& advance, const std::string& unit, int width);

/// Returns the remaining seconds at the rate so far; infinite before anything is done.
double seconds_left(const Advance& advance);

/// A line on standard error that is redrawn in place. If that is not a terminal, a thread logs the
/// progress instead, whenever nothing else was printed for ten seconds: also while a step takes longer.
///
/// A log line replaces the bar, which comes back with the next update.
class ProgressBar : NonCopyable {
 public:
  /// total, done_at_start: as in Advance.
  ProgressBar(std::string unit, std::int64_t total, std::int64_t done_at_start = 0,
              std::chrono::milliseconds longest_silence = std::chrono::seconds(10));
  /// Erases the bar.
  ~ProgressBar();

  /// Redraws the bar, at most ten times a second: cheap enough for every step.
  void update(std::int64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  Advance advance() const;
  void break_silence(std::chrono::milliseconds longest_silence, const std::stop_token& stop) const;

  const std::string unit_;
  const std::int64_t total_;
  const std::int64_t done_at_start_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<std::int64_t> done_;
  Clock::time_point drawn_;
  std::jthread log_thread_;  // last: it uses all of the above
};

}  // namespace ganscale::report
