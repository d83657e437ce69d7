#pragma once

#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

/// Returns the ConfigMap with the worker's configuration and, if ranks are bound to the CPUs beside
/// their GPU, the script that does it.
Json config_map(const Plan& plan);

}  // namespace ganscale::controller::gan_training
