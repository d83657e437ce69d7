#pragma once

#include "desired/plan.h"

namespace ganscale::controller {

/// Returns the ConfigMap with the worker's configuration and the scripts of launcher and ranks.
Json config_map(const Plan& plan);

/// Returns the Secret with the bearer token of rank 0's control port.
Json control_secret(const Plan& plan, const std::string& token);

}  // namespace ganscale::controller
