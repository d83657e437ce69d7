#include "augment/adaptive_probability.h"

#include <algorithm>

namespace ganscale::augment {

double AdaptiveProbability::next(double p, double mean_sign, double image_count) const {
  if (mean_sign == target) return p;
  const double step = image_count / (speed_kimg * 1000);
  return std::clamp(p + (mean_sign > target ? step : -step), 0.0, 1.0);
}

}  // namespace ganscale::augment
