#pragma once

#include <string>
#include <string_view>

#include "markup/element.h"

namespace ganscale::markup {

/// Returns an SVG document, for a file or within a page, whose colors follow the reader's choice of
/// light or dark.
///
/// title:   what programs read aloud.
/// content: elements with these classes. Texts: `soft`, `title`, `middle` and `end`. Lines: `grid`,
///          and of data `line` and `ideal`. Areas of data: `area`. Data have a color, `s1` to `s5`.
std::string drawing(double width, double height, std::string_view title, std::string_view content);

/// Returns the attribute for these classes.
Attributes css(const std::string& classes);

/// Returns a straight line.
std::string line(double x1, double y1, double x2, double y2, const std::string& classes);

/// A rectangle of data with its top left corner, and what it shows when it is pointed at.
struct Area {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  std::string color;  ///< `s1` to `s5`
  std::string title{};
};
std::string area(const Area& area);

/// Returns a point of a curve and what it shows when it is pointed at.
std::string point(double x, double y, const std::string& color, std::string_view title = "");

}  // namespace ganscale::markup
