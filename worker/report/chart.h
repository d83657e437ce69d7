#pragma once

#include <string>
#include <vector>

namespace ganscale::report {

/// A curve of a chart. A value that is not finite leaves a gap.
struct Series {
  std::string name;
  std::vector<double> values;  ///< one for each x of the chart
};

struct Chart {
  std::string title;
  std::string unit;  ///< after the title, in words: "seconds per 1000 images"
  std::vector<double> x;
  std::vector<Series> series;
  bool from_zero = false;  ///< whether the y axis begins at 0 whatever the values are
};

/// The part of an axis that is shown, and where its marks are.
struct Axis {
  double from = 0;
  double to = 1;
  std::vector<double> marks;
  double share(double value) const { return (value - from) / (to - from); }
};

/// Returns an axis over [from, to] with about `wanted_marks` marks at round numbers. tight: it ends
/// at from and to; otherwise at the next round numbers. If from is to, there is room around it.
Axis make_axis(double from, double to, int wanted_marks, bool tight);

/// Returns at most `limit` points, each the mean of as many neighbors: a chart has no more pixels.
Chart thin_out(const Chart& chart, std::size_t limit);

/// Returns a chart, which has a point at least, as an HTML figure: curves in SVG, labels in HTML
/// (they keep their size on a phone), the numbers as JSON for page.js. The outermost hundredths of
/// the values may lie outside the drawing, so that one spike does not flatten a curve.
std::string chart_html(const Chart& chart);

}  // namespace ganscale::report
