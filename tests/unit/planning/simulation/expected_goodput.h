#pragma once

#include <cmath>

#include "planning/simulation/reliability.h"

namespace ganscale::planning {

/// Returns the share of the time that advances the training, with a checkpoint after every
/// `interval_seconds` of it; the time of writes during the training is not in it.
///
/// Paper: Daly 2006, the complete cost function: a run with exponentially distributed failures takes
///        M exp(R / M) (exp((tau + C) / M) - 1) / tau times its work.
inline double expected_goodput(const Reliability& reliability, double interval_seconds) {
  const double between = reliability.seconds_between_failures;
  const double part = interval_seconds + reliability.pause_seconds;
  return interval_seconds /
         (between * std::exp(reliability.restart_seconds / between) * std::expm1(part / between));
}

}  // namespace ganscale::planning
