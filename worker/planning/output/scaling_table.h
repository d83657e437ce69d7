#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "planning/model/calibration.h"
#include "planning/model/scaling.h"

namespace ganscale::planning {

/// Returns a table with a line for each number of nodes: milliseconds of a step by what they are
/// spent on, and the cost of the training.
std::string to_table(const Scaling& scaling);

/// Returns what was measured, next to what the model says there.
std::string to_table(const Calibration& calibration, const Workload& workload,
                     const Machine& machine, const Assumptions& assumptions);

/// Returns the machine in one line, with the nominal bandwidths of its links.
std::string to_line(const Machine& machine);

nlohmann::ordered_json to_json(const Scaling& scaling);
nlohmann::ordered_json to_json(const Machine& machine);

/// Returns an object for each measured point, in the order of the file.
nlohmann::ordered_json to_json(const Calibration& calibration, const Workload& workload,
                               const Machine& machine, const Assumptions& assumptions);

}  // namespace ganscale::planning
