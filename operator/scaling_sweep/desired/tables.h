#pragma once

#include <string>

#include "scaling_sweep/decide/points.h"

namespace ganscale::controller::scaling_sweep {

/// Returns a CSV (RFC 4180) with a line for each point, the first the names of the columns. What
/// was not measured is empty.
std::string points_csv(const Plan& plan, const Summary& summary);

/// Returns a CSV with a line for each run that is over, in the order in which they ran. What was
/// not measured is empty.
std::string runs_csv(const Plan& plan, const Record& record);

}  // namespace ganscale::controller::scaling_sweep
