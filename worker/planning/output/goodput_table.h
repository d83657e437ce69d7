#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "planning/model/goodput.h"

namespace ganscale::planning {

/// Returns tables of the schemes, of the goodput of each number of GPUs, and of the curves.
std::string to_table(const SimulatedRuns& runs);
nlohmann::ordered_json to_json(const SimulatedRuns& runs);

}  // namespace ganscale::planning
