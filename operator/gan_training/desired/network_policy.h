#pragma once

#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

/// Returns the NetworkPolicy of a training's pods: everything among themselves, the control port
/// for the operator's namespace only, the metrics port for the cluster.
Json network_policy(const Plan& plan, const std::string& operator_namespace);

}  // namespace ganscale::controller::gan_training
