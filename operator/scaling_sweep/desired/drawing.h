#pragma once

#include <string>

#include "markup/plot.h"

namespace ganscale::controller::scaling_sweep {

/// Returns the style of a label of a chart; anchor: start, middle or end.
markup::Attributes anchored(const char* anchor);

/// Returns an SVG document on white.
std::string drawing(double width, double height, const std::string& title,
                    const std::string& content);

}  // namespace ganscale::controller::scaling_sweep
