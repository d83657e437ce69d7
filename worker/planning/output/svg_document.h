#pragma once

#include <string>
#include <string_view>

#include "markup/plot.h"

namespace ganscale::planning {

/// A document has two plots: this one with its axis labels on the left ...
constexpr markup::Frame kLeftPlot = {64, 52, 360, 270};
/// ... and this one.
constexpr markup::Frame kRightPlot = {510, 52, 430, 270};
constexpr int kPlotsHeight = 380;

/// Returns a self-contained SVG document with a title.
std::string svg_document(std::string_view title, std::string_view plots);

}  // namespace ganscale::planning
