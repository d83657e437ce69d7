#pragma once

#include <string>

#include "planning/model/scaling.h"

namespace ganscale::planning {

/// Returns plots as a self-contained SVG document: speedup against GPUs, both logarithmic, with
/// the ideal line, and next to it the shares of a step by what they are spent on.
std::string to_svg(const Scaling& scaling, const std::string& title);

}  // namespace ganscale::planning
