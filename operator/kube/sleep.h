#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

namespace ganscale::controller {

/// Whether to stop: set by a signal handler, so it can only be polled.
using Stopped = std::function<bool()>;

/// Sleeps until the time has passed or `stopped` returns true, polled every 50 ms. Returns whether
/// the time has passed.
inline bool sleep_unless(const Stopped& stopped, std::chrono::milliseconds time) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kAskEvery{50};
  const auto end = Clock::now() + time;
  while (!stopped()) {
    const auto left = end - Clock::now();
    if (left <= Clock::duration::zero()) return true;
    std::this_thread::sleep_for(std::min<Clock::duration>(left, kAskEvery));
  }
  return false;
}

}  // namespace ganscale::controller
