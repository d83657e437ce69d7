#pragma once

#include "scaling_sweep/plan/plan.h"

namespace ganscale::controller::scaling_sweep {

/// Returns the GanTraining of a run, which the sweep owns.
Json training(const Plan& plan, const SweepRun& run);

}  // namespace ganscale::controller::scaling_sweep
