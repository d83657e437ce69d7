#pragma once

#include <map>
#include <string>

namespace ganscale::training {

/// Returns the texts of configs/presets/*.yaml by name, compiled in.
const std::map<std::string, std::string>& built_in_presets();

}  // namespace ganscale::training
