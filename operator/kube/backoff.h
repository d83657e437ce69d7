#pragma once

#include <algorithm>
#include <chrono>
#include <random>

namespace ganscale::controller {

/// Waits that double with each try, with random jitter so that many clients do not come at once.
class Backoff {
 public:
  using Milliseconds = std::chrono::milliseconds;

  Backoff(Milliseconds first, Milliseconds longest)
      : first_(first), longest_(longest), next_(first), random_(std::random_device{}()) {}

  /// Returns how long to wait now: between the current step and twice as long.
  Milliseconds next() {
    const Milliseconds now = next_;
    next_ = std::min(next_ * 2, longest_);
    return now + Milliseconds(std::uniform_int_distribution<std::int64_t>(0, now.count())(random_));
  }
  void reset() { next_ = first_; }

 private:
  Milliseconds first_;
  Milliseconds longest_;
  Milliseconds next_;
  std::minstd_rand random_;
};

}  // namespace ganscale::controller
