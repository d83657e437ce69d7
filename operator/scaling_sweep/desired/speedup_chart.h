#pragma once

#include <string>

#include "scaling_sweep/decide/points.h"

namespace ganscale::controller::scaling_sweep {

/// Returns an SVG of the speedup over the ranks, both axes logarithmic: the measured points with
/// their 95% intervals, the ideal line, and the fitted law. Empty if nothing was measured.
std::string speedup_chart(const Plan& plan, const Summary& summary);

}  // namespace ganscale::controller::scaling_sweep
