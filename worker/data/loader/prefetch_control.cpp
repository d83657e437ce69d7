#include "data/loader/prefetch_control.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace ganscale::data {
namespace {

double mean(std::span<const float> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

constexpr double kSpare = 1.5;

/// Returns the value bounded before the cast: a latency of minutes must not overflow an int.
int rounded_up(double value, int most) {
  return static_cast<int>(std::min(std::ceil(value), static_cast<double>(most)));
}

/// Returns the value moved toward what was seen, by one of two parts of the way.
double follow(double value, double seen, double part_up, double part_down) {
  if (value == 0) return seen;
  return value + (seen > value ? part_up : part_down) * (seen - value);
}

/// Returns a number that is lowered to 1 / `part` of what it is above its target.
int lowered(int now, int target, int part) {
  return now <= target ? now : target + (now - target) / part;
}

/// Decides whether storage is congested.
void judge(PrefetchState& state, const LatencySummary& reads) {
  constexpr double kBegin = 3;
  constexpr double kEnd = 1.5;
  constexpr double kLeastTail = 1e-3;
  constexpr int kQuietWindows = 3;
  if (!state.congested) {
    const bool known = state.calm_tail > 0;
    state.congested = known && reads.tail > std::max(kBegin * state.calm_tail, kLeastTail);
    state.congestions += state.congested ? 1 : 0;
    state.quiet_windows = 0;
    return;
  }
  // The mean shows slow reads that are too few for the tail of each window.
  const bool quiet = reads.tail <= std::max(kEnd * state.calm_tail, kLeastTail / 2) &&
                     reads.mean <= std::max(kEnd * state.calm_mean, kLeastTail / 2);
  state.quiet_windows = quiet ? state.quiet_windows + 1 : 0;
  state.congested = state.quiet_windows < kQuietWindows;
}

/// Learns what calm storage is like. A rise of latency is believed slowly, since it may be the
/// beginning of a congestion; so is a fall of the rate, since the training pauses now and then.
void learn(PrefetchState& state, const PrefetchWindow& window) {
  constexpr double kSlowly = 1.0 / 64;
  state.calm_tail = follow(state.calm_tail, window.reads.tail, kSlowly, 0.25);
  state.calm_mean = follow(state.calm_mean, window.reads.mean, kSlowly, 0.25);
  const double rate = static_cast<double>(window.records_delivered) / window.elapsed;
  state.records_per_second = follow(state.records_per_second, rate, 0.5, 1.0 / 16);
}

PrefetchLimits congested_limits(const PrefetchState& state, const PrefetchWindow& window,
                                const PrefetchRange& range) {
  const double rate = state.records_per_second;
  const double batch = static_cast<double>(window.records_per_batch);
  const double more_threads = kSpare * std::max(window.reads.mean - state.calm_mean, 0.0) * rate;
  const double more_records = std::max(window.reads.slowest * rate, more_threads);
  const PrefetchLimits needed{
      rounded_up(state.calm.threads + more_threads, range.most.threads),
      rounded_up(state.calm.depth + more_records / batch, range.most.depth)};
  return {std::max(state.limits.threads, needed.threads),
          std::max(state.limits.depth, needed.depth)};
}

/// Sets the limits that the training needs of calm storage.
void adapt_calm_limits(PrefetchState& state, const PrefetchWindow& window,
                       const PrefetchRange& range) {
  constexpr double kTolerableStall = 0.02;
  constexpr int kIdleWindows = 8;
  const double rate = static_cast<double>(window.records_delivered) / window.elapsed;
  const double batch = static_cast<double>(window.records_per_batch);
  PrefetchLimits needed{rounded_up(kSpare * window.busy_threads, range.calm_threads),
                        rounded_up(1 + window.reads.slowest * rate / batch, range.most.depth)};
  PrefetchLimits& calm = state.calm;
  if (window.stalled > kTolerableStall * window.elapsed) {
    needed.threads = std::max(needed.threads, calm.threads + std::max(1, calm.threads / 2));
    needed.depth = std::max(needed.depth, calm.depth + 1);
  }
  needed.threads = std::clamp(needed.threads, range.least.threads, range.calm_threads);
  needed.depth = std::clamp(needed.depth, range.least.depth, range.most.depth);
  const bool idle = needed.threads < calm.threads || needed.depth < calm.depth;
  state.idle_windows = idle ? state.idle_windows + 1 : 0;
  calm = {std::max(calm.threads, needed.threads), std::max(calm.depth, needed.depth)};
  if (state.idle_windows < kIdleWindows) return;
  state.idle_windows = 0;
  calm = {lowered(calm.threads, needed.threads, 2), lowered(calm.depth, needed.depth, 2)};
}

}  // namespace

LatencySummary summarize(std::span<const float> latencies_seconds) {
  const std::size_t count = latencies_seconds.size();
  if (count == 0) return {};
  std::vector<float> sorted(latencies_seconds.begin(), latencies_seconds.end());
  std::ranges::sort(sorted);
  return {.mean = std::max(mean(latencies_seconds), mean(latencies_seconds.last((count + 3) / 4))),
          .median = sorted[(count - 1) / 2],
          .tail = sorted[(count * 95 + 99) / 100 - 1],
          .slowest = sorted.back()};
}

PrefetchState next_state(PrefetchState state, const PrefetchWindow& window,
                         const PrefetchRange& range) {
  if (window.read_count == 0 || window.elapsed <= 0) return state;
  judge(state, window.reads);
  if (state.congested) {
    state.limits = congested_limits(state, window, range);
    return state;
  }
  learn(state, window);
  adapt_calm_limits(state, window, range);
  state.limits = {
      std::max(state.calm.threads, lowered(state.limits.threads, state.calm.threads, 3)),
      std::max(state.calm.depth, lowered(state.limits.depth, state.calm.depth, 3))};
  return state;
}

}  // namespace ganscale::data
