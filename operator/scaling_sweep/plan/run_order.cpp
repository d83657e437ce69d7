#include "scaling_sweep/plan/run_order.h"

#include <numeric>
#include <random>

namespace ganscale::controller::scaling_sweep {

std::vector<SweepRun> run_order(const Key& key, const std::vector<PlannedPoint>& points,
                                int repeats, std::int64_t seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::vector<SweepRun> runs;
  for (int repeat = 1; repeat <= repeats; ++repeat) {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), 0);
    // Not std::shuffle, whose order depends on the library.
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (const std::size_t point : order) {
      runs.push_back({run_name(key, points[point].point, repeat), point, repeat});
    }
  }
  return runs;
}

}  // namespace ganscale::controller::scaling_sweep
