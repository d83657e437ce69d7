#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ganscale {

/// The mean and the minimum of the finite values among some; NaN if there are none.
struct FiniteValues {
  explicit FiniteValues(const std::vector<double>& values) {
    double sum = 0;
    int count = 0;
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      sum += value;
      minimum = count == 0 ? value : std::min(minimum, value);
      ++count;
    }
    if (count > 0) mean = sum / count;
  }

  double mean = std::numeric_limits<double>::quiet_NaN();
  double minimum = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace ganscale
