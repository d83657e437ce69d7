#pragma once

#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

/// Returns the NetworkPolicy of a training's pods: everything among themselves, the control port
/// for the operator's namespace only, the metrics port for the cluster.
///
/// attempt_port: the control port of the attempt that is there, which is asked to stop after an
/// edit of the port; 0: none.
Json network_policy(const Plan& plan, const std::string& operator_namespace, int attempt_port = 0);

}  // namespace ganscale::controller::gan_training
