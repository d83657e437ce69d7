#pragma once

#include <map>
#include <string>

namespace ganscale::controller {

/// Returns the texts of operator-manifests/crd/*.yaml by the plural of their kind, as they were at
/// the time of the build.
const std::map<std::string, std::string>& built_in_definition_texts();

}  // namespace ganscale::controller
