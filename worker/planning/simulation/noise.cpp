#include "planning/simulation/noise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.h"

namespace ganscale::planning {
namespace {

/// No rank is more than ten times as fast as the mean one, whatever the normal distribution says.
double factor(double deviation) { return std::max(0.1, 1 + deviation); }

/// Returns a number in (0, 1).
double uniform(std::uint32_t word) { return (word + 0.5) * 0x1p-32; }

/// Returns a standard normal number (Box & Muller 1958).
double normal(const std::array<std::uint32_t, 4>& words) {
  return std::sqrt(-2 * std::log(uniform(words[0]))) *
         std::cos(2 * std::numbers::pi * uniform(words[1]));
}

}  // namespace

NoisyRanks::NoisyRanks(int count, const Noise& noise, std::uint64_t seed)
    : noise_(noise), key_(random_key(seed)), ranks_(static_cast<std::size_t>(count)) {
  for (int rank = 0; rank < count; ++rank) {
    ranks_[static_cast<std::size_t>(rank)].slowness = factor(noise.spread * normal(draw(rank)));
  }
}

std::array<std::uint32_t, 4> NoisyRanks::draw(int rank) {
  const std::uint32_t number = ranks_[static_cast<std::size_t>(rank)].draws++;
  return philox({number, static_cast<std::uint32_t>(rank), 0, 0}, key_);
}

double NoisyRanks::seconds(int rank, double seconds) {
  const auto words = draw(rank);
  const double taken = seconds * ranks_[static_cast<std::size_t>(rank)].slowness *
                       factor(noise_.jitter * normal(words));
  const bool pauses = uniform(words[2]) < noise_.pauses_per_hour * taken / 3600;
  return taken + (pauses ? noise_.pause_seconds : 0);
}

}  // namespace ganscale::planning
