#include "planning/simulation/reliability.h"

#include <cmath>

namespace ganscale::planning {

double best_interval(const Reliability& reliability) {
  const double between = reliability.seconds_between_failures;
  const double pause = reliability.pause_seconds;
  if (pause >= 2 * between) return between;
  const double ratio = pause / (2 * between);
  return std::sqrt(2 * pause * between) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - pause;
}

}  // namespace ganscale::planning
