#include "data/loader/latency_summary.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ganscale::data {
namespace {

double mean(std::span<const float> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
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

}  // namespace ganscale::data
