#pragma once

#include <string>
#include <string_view>

#include "markup/element.h"

namespace ganscale::markup {

/// The place of a plot within a drawing, in its units. y grows downward.
struct Frame {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
  /// Returns the place of a share of the horizontal or the vertical axis.
  double x(double share) const { return left + width * share; }
  double y(double share) const { return bottom() - height * share; }
};

/// Writes a coordinate, with one decimal.
std::string coordinate(double value);

/// Returns an SVG text at a place. `style`: its other attributes.
std::string label(double x, double y, const Attributes& style, std::string_view text);

}  // namespace ganscale::markup
