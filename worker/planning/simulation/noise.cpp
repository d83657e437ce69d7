#include "planning/simulation/noise.h"

#include <algorithm>

namespace ganscale::planning {
namespace {

/// No rank is more than ten times as fast as the mean one, whatever the normal distribution says.
double factor(double deviation) { return std::max(0.1, 1 + deviation); }

}  // namespace

NoisyRanks::NoisyRanks(int count, const Noise& noise, std::uint64_t seed)
    : noise_(noise), random_(seed) {
  slowness_.reserve(static_cast<std::size_t>(count));
  for (int rank = 0; rank < count; ++rank) {
    slowness_.push_back(factor(noise.spread * normal_(random_)));
  }
}

double NoisyRanks::seconds(int rank, double seconds) {
  double taken = seconds * slowness_[static_cast<std::size_t>(rank)];
  if (noise_.jitter > 0) taken *= factor(noise_.jitter * normal_(random_));
  if (noise_.pauses_per_hour == 0) return taken;
  const bool pauses = uniform_(random_) < noise_.pauses_per_hour * taken / 3600;
  return taken + (pauses ? noise_.pause_seconds : 0);
}

}  // namespace ganscale::planning
