#pragma once

#include <string>

#include "scaling_sweep/decide/points.h"

namespace ganscale::controller::scaling_sweep {

/// Returns an SVG with a bar for each point: where the time of a step goes, or how long a whole
/// training takes in mode PerLabel. Empty if nothing was measured.
std::string step_chart(const Plan& plan, const Summary& summary);

}  // namespace ganscale::controller::scaling_sweep
