#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace ganscale::report {

/// How far a long piece of work is.
struct Advance {
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::int64_t done_at_start = 0;  ///< what an earlier run had done already: not part of the rate
  double seconds = 0;              ///< since the start of this run
};

/// Returns the bar of a terminal `width` characters wide; `unit` in the plural: "images".
///
///   [=========>                    ]  31%  77,824/250,000 images  1250/s  left 2m 18s
std::string progress_line(const Advance& advance, const std::string& unit, int width);

/// Returns the seconds that are left at the rate so far; infinite before anything is done.
double seconds_left(const Advance& advance);

/// One line on standard error that is rewritten in place, on a terminal; nothing elsewhere.
///
/// The log begins its lines at the left on a terminal and so takes the bar's place; the bar comes
/// back with the next update.
class ProgressBar {
 public:
  /// total, done: as in Advance.
  ProgressBar(std::string unit, std::int64_t total, std::int64_t done_at_start = 0);
  /// Wipes the bar.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Draws the bar anew, at most ten times a second: cheap enough for every step.
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
