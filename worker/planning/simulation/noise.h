#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ganscale::planning {

/// Why ranks that do the same work do not take the same time.
struct Noise {
  double jitter = 0;           ///< standard deviation of a rank's step, relative
  double spread = 0;           ///< of the speed of devices, relative: the same in each step
  double pauses_per_hour = 0;  ///< of a rank, which then does nothing for
  double pause_seconds = 0;
};

/// The times that ranks take for their work. The n-th of a rank depends only on the seed, the rank
/// and n, so that simulations of different schemes have the same ranks.
class NoisyRanks {
 public:
  NoisyRanks(int count, const Noise& noise, std::uint64_t seed);

  /// Returns the time of a rank for work that takes a mean rank `seconds`. It pauses at most once.
  double seconds(int rank, double seconds);

 private:
  struct Rank {
    double slowness = 1;
    std::uint32_t draws = 0;
  };

  std::array<std::uint32_t, 4> draw(int rank);

  Noise noise_;
  std::array<std::uint32_t, 2> key_;
  std::vector<Rank> ranks_;
};

}  // namespace ganscale::planning
