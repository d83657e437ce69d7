#pragma once

#include <cstdint>
#include <vector>

#include "scaling_sweep/plan/plan.h"

namespace ganscale::controller::scaling_sweep {

/// Returns every repeat of every point: one repeat of all points after the other, each in a random
/// order of its own (a randomized block design), so that what drifts with time or with what ran
/// before affects all points alike. The same seed gives the same order.
std::vector<SweepRun> run_order(const Key& key, const std::vector<PlannedPoint>& points,
                                int repeats, std::int64_t seed);

}  // namespace ganscale::controller::scaling_sweep
