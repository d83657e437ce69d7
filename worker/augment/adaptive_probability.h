#pragma once

#include <cstdint>

namespace ganscale::augment {

/// Adapts the probability of ADA's transformations to how much D overfits.
///
/// Paper: Karras et al. 2020, arXiv:2006.06676, section 3.1: the mean sign of D's scores of reals
/// since the last update estimates how much D overfits (r_t).
struct AdaptiveProbability {
  double target = 0.6;              ///< of the mean sign
  std::int64_t interval_steps = 4;  ///< how often p is updated
  double speed_kimg = 500;          ///< in which p can go from 0 to 1

  /// Returns p after `image_count` images whose scores had this mean sign; it stays in [0, 1].
  double next(double p, double mean_sign, double image_count) const;
};

}  // namespace ganscale::augment
