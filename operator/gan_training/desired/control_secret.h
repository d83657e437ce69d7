#pragma once

#include <string>

#include "gan_training/plan/plan.h"

namespace ganscale::controller::gan_training {

/// Returns the Secret with the bearer token of rank 0's control port.
Json control_secret(const Plan& plan, const std::string& token);

}  // namespace ganscale::controller::gan_training
