#pragma once

#include <chrono>
#include <limits>

namespace ganscale::training {

/// A time limit of a training, over all restarts.
class Budget {
 public:
  /// seconds: 0 for no limit. used_seconds: by earlier attempts.
  explicit Budget(double seconds, double used_seconds = 0)
      : seconds_(seconds), used_seconds_(used_seconds), start_(Clock::now()) {}

  bool spent() const { return seconds_left() <= 0; }

  /// Infinite without a limit.
  double seconds_left() const {
    const std::chrono::duration<double> since = Clock::now() - start_;
    return seconds_ > 0 ? seconds_ - used_seconds_ - since.count()
                        : std::numeric_limits<double>::infinity();
  }

 private:
  using Clock = std::chrono::steady_clock;

  double seconds_;
  double used_seconds_;
  Clock::time_point start_;
};

}  // namespace ganscale::training
