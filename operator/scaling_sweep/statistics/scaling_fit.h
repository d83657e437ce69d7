#pragma once

#include <optional>
#include <vector>

namespace ganscale::controller::scaling_sweep {

/// A measured size and its rate.
struct ScalingPoint {
  double ranks = 0;
  double rate = 0;  ///< images per second
};

/// The rate of p ranks, rate_of_one · p / (1 + contention (p - 1) + coherence p (p - 1)).
///
/// Amdahl 1967: contention is the share of the work that only one rank at a time can do, and
/// coherence is 0. Gunther 1993 (the universal scalability law) adds coherence, the cost of each
/// pair of ranks, with which the rate has a maximum.
struct ScalingFit {
  double rate_of_one = 0;
  double contention = 0;
  double coherence = 0;
  double r_squared = 0;  ///< of the rates

  double rate(double ranks) const;
  /// The number of ranks with the highest rate; absent if more ranks are always faster.
  std::optional<double> peak_ranks() const;
};

/// Fits by least squares of the rates; neither share is below 0. Absent unless there are three
/// sizes (Amdahl) or four (universal scalability law), or if no parameters fit.
std::optional<ScalingFit> fit_amdahl(const std::vector<ScalingPoint>& points);
std::optional<ScalingFit> fit_usl(const std::vector<ScalingPoint>& points);

}  // namespace ganscale::controller::scaling_sweep
