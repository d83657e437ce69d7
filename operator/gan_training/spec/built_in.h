#pragma once

#include <map>
#include <string>

namespace ganscale::controller::gan_training {

/// Returns the texts of configs/nodes/*.yaml by name, as they were at the time of the build.
const std::map<std::string, std::string>& built_in_profile_texts();

/// Returns configs/worker-schema.json: the JSON schema of the worker's configuration.
const std::string& built_in_worker_schema();

}  // namespace ganscale::controller::gan_training
