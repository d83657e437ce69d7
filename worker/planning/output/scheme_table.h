#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "planning/model/scheme_advice.h"

namespace ganscale::planning {

/// Returns a table with a line for each scheme and its options, and the advice, if there is one: a
/// sentence that says which scheme to use, and the lines of the configuration that do.
std::string to_table(const SchemeComparison& comparison);

/// Returns the same as to_table(), with the advice as an object: the scheme to use, its ratio and
/// max_staleness if it has them, cuda_graphs if the scheme needs it to be false, and
/// asynchronous_gain.
nlohmann::ordered_json to_json(const SchemeComparison& comparison);

}  // namespace ganscale::planning
