#pragma once

#include <string>
#include <vector>

namespace ganscale::report {

/// A curve of a chart. Values that are not finite leave gaps.
struct Series {
  std::string name;
  std::vector<double> values;  ///< one for each x of the chart
};

struct Chart {
  std::string title;
  std::string unit;  ///< spelled out, after the title: "seconds per 1000 images"
  std::vector<double> x;
  std::vector<Series> series;
  bool from_zero = false;  ///< whether the y axis always starts at 0
  std::string x_unit = "kimg";
};

/// Reduces a chart to at most `limit` points, as it has no more pixels: each the mean of the finite
/// values of adjacent ones.
Chart thin_out(const Chart& chart, std::size_t limit);

/// Returns a chart of at least one point as an HTML figure: curves in SVG, labels in HTML (so that
/// they keep their size on a phone), values as JSON for page.js. Values outside the 1st to 99th
/// percentile may be cut off, so that one spike does not flatten a curve.
std::string chart_html(const Chart& chart);

}  // namespace ganscale::report
