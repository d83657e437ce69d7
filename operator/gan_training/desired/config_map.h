#pragma once

#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

/// Returns the ConfigMap with the worker's configuration and the scripts of launcher and ranks.
Json config_map(const Plan& plan);

}  // namespace ganscale::controller::gan_training
