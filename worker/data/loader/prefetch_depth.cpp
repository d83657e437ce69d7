#include "data/loader/prefetch_depth.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ganscale::data {
namespace {

double mean(std::span<const float> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

PrefetchLimits prefetch_depth(const PrefetchWindow& window, PrefetchLimits now,
                              PrefetchLimits least, PrefetchLimits most) {
  const auto& latencies = window.latencies_seconds;
  if (latencies.empty() || window.elapsed_seconds <= 0) return now;
  constexpr double kSpareThreads = 1.5;
  constexpr double kTolerableStall = 0.02;
  const double newest = mean(latencies.last((latencies.size() + 3) / 4));
  const double latency = std::max(mean(latencies), newest);
  const double slowest = *std::max_element(latencies.begin(), latencies.end());
  const double rate = static_cast<double>(window.records_delivered) / window.elapsed_seconds;
  const double batch = static_cast<double>(window.records_per_batch);

  // Bounded before the cast: a latency of minutes must not overflow an int.
  const auto at_most = [](double wanted, int limit) {
    return static_cast<int>(std::min(std::ceil(wanted), static_cast<double>(limit)));
  };
  PrefetchLimits next{at_most(kSpareThreads * latency * rate, most.threads),
                      at_most(1 + slowest * rate / batch, most.depth)};
  if (window.stall_seconds > kTolerableStall * window.elapsed_seconds) {
    next.threads = std::max(next.threads, now.threads + std::max(1, now.threads / 2));
    next.depth = std::max(next.depth, now.depth + 1);
  } else {
    next.threads = std::max(next.threads, now.threads - 1);
    next.depth = std::max(next.depth, now.depth - 1);
  }
  return {std::clamp(next.threads, least.threads, most.threads),
          std::clamp(next.depth, least.depth, most.depth)};
}

}  // namespace ganscale::data
