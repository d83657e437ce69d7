#pragma once

#include <string>

#include "scaling_sweep/decide/points.h"

namespace ganscale::controller::scaling_sweep {

/// Returns the report as one HTML page that needs no other file: both charts, the table of points,
/// the fitted laws, and the warnings.
std::string page(const Plan& plan, const Record& record, const Summary& summary);

}  // namespace ganscale::controller::scaling_sweep
