#pragma once

#include <cstdint>

namespace ganscale::augment {

/// How the probability of ADA's transformations follows D's overfitting.
///
/// Paper: Karras et al. 2020, arXiv:2006.06676, section 3.1: the sign of D's scores of reals, over
/// the images since the last move, estimates how far D overfits (r_t).
struct AdaptiveProbability {
  double target = 0.6;              ///< of the mean sign
  std::int64_t interval_steps = 4;  ///< how often p moves
  double speed_kimg = 500;          ///< in which p can go from 0 to 1

  /// Returns p after `image_count` images whose scores had this mean sign; it stays in [0, 1].
  double next(double p, double mean_sign, double image_count) const;
};

}  // namespace ganscale::augment
