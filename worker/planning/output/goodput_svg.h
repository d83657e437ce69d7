#pragma once

#include <string>

#include "planning/model/goodput.h"

namespace ganscale::planning {

/// Returns plots as a self-contained SVG document: goodput against the interval between
/// checkpoints, a curve for each failure rate, and next to it the images a second of the schemes.
std::string to_svg(const SimulatedRuns& runs, const std::string& title);

}  // namespace ganscale::planning
