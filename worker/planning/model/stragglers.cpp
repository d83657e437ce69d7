#include "planning/model/stragglers.h"

#include <cmath>

namespace ganscale::planning {

double mean_largest_normal(int count) {
  // The mean of a variable is the integral of [x > 0] - P(variable <= x).
  constexpr double kFar = 9;
  constexpr int kIntervals = 600;
  constexpr double kWidth = 2 * kFar / kIntervals;
  double sum = 0;
  for (int i = 0; i < kIntervals; ++i) {
    const double x = -kFar + (i + 0.5) * kWidth;
    const double below = std::pow(0.5 * std::erfc(-x / std::sqrt(2.0)), count);
    sum += (x > 0 ? 1 : 0) - below;
  }
  return sum * kWidth;
}

}  // namespace ganscale::planning
