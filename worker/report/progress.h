#pragma once

#include <chrono>
#include <cstdint>
#include <string>

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

/// A line on standard error that is redrawn in place; nothing if that is not a terminal.
///
/// A log line replaces the bar, which comes back with the next update.
class ProgressBar {
 public:
  /// total, done_at_start: as in Advance.
  ProgressBar(std::string unit, std::int64_t total, std::int64_t done_at_start = 0);
  /// Erases the bar.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Redraws the bar, at most ten times a second: cheap enough for every step.
  void update(std::int64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::string unit_;
  Advance advance_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_;
  bool on_terminal_;
};

}  // namespace ganscale::report
