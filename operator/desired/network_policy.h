#pragma once

#include "desired/plan.h"

namespace ganscale::controller {

/// Returns the NetworkPolicy of a training's pods: everything among themselves, the control port
/// for the operator's namespace alone, the metrics port for the cluster.
Json network_policy(const Plan& plan, const std::string& operator_namespace);

/// Returns the PodDisruptionBudget of the workers: while they run, none is taken away for
/// maintenance, since the loss of one ends the whole gang.
Json disruption_budget(const Plan& plan);

}  // namespace ganscale::controller
