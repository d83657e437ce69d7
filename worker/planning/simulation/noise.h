#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace ganscale::planning {

/// Why ranks that do the same work do not take the same time.
struct Noise {
  double jitter = 0;           ///< standard deviation of a rank's step, relative
  double spread = 0;           ///< of the speed of devices, relative: the same in each step
  double pauses_per_hour = 0;  ///< of a rank, which then does nothing for
  double pause_seconds = 0;
};

/// The times that ranks take for their work; the same ones for the same seed and order of calls.
class NoisyRanks {
 public:
  NoisyRanks(int count, const Noise& noise, std::uint64_t seed);

  /// Returns how long a rank takes for what a mean one takes `seconds` for. It pauses at most once.
  double seconds(int rank, double seconds);

 private:
  Noise noise_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::vector<double> slowness_;  ///< of each rank, 1 on average
};

}  // namespace ganscale::planning
