#pragma once

#include <string>
#include <string_view>

namespace ganscale::planning {

/// The place of a plot within a document.
struct Frame {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
  double bottom() const { return top + height; }
};

/// A document has two plots: this one with its axis labels on the left ...
constexpr Frame kLeftPlot = {64, 52, 360, 270};
/// ... and this one.
constexpr Frame kRightPlot = {510, 52, 430, 270};
constexpr int kPlotsHeight = 380;

/// Returns a text of SVG. css: its classes, of "title", "soft", "middle" and "end".
std::string label(double x, double y, std::string_view css, std::string_view text);

/// Returns a line of the grid.
std::string grid_line(double x1, double y1, double x2, double y2);

/// Returns a self-contained SVG document with a title.
std::string svg_document(std::string_view title, std::string_view plots);

}  // namespace ganscale::planning
