#pragma once

#include "scaling_sweep/plan/plan.h"
#include "verbs/sources.h"

namespace ganscale::controller {

/// Returns the plan of a ScalingSweep. Throws ConfigError, with the key, for one that the operator
/// would refuse.
scaling_sweep::Plan sweep_plan(const Json& document, const NodeProfiles& profiles,
                               const WorkerSchema& schema);

}  // namespace ganscale::controller
