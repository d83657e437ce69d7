#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gan_training/plan/plan.h"
#include "wire/role_plan.h"

namespace ganscale::controller::gan_training {

/// Returns the ratio of the roles if the training's scheme has roles, else nothing. Throws
/// ConfigError with the key for a text that is not a ratio.
std::optional<wire::RoleRatio> role_ratio(const Plan& plan);

/// Returns a line a replica of the workers that says which of its ranks train which network, where
/// the training's scheme has roles. Throws as role_ratio().
std::vector<std::string> describe_roles(const Plan& plan);

}  // namespace ganscale::controller::gan_training
