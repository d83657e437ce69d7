#pragma once

#include <cmath>
#include <vector>

namespace ganscale::markup {

/// The visible range of an axis and its tick marks.
struct Axis {
  double from = 0;
  double to = 1;
  std::vector<double> marks;

  /// Returns where a value is: 0 at `from`, 1 at `to`.
  double share(double value) const { return (value - from) / (to - from); }
};

/// Returns an axis over [from, to] with about `wanted_marks` marks at round numbers. tight: the
/// axis ends at from and to, otherwise at the next round numbers. If from equals to, adds a margin.
Axis make_axis(double from, double to, int wanted_marks, bool tight);

/// The visible range of a logarithmic axis; its bounds are positive.
struct LogAxis {
  double from = 1;
  double to = 2;

  double share(double value) const { return std::log2(value / from) / std::log2(to / from); }
};

/// Returns the logarithmic axis from a power of two to another that has these positive values.
LogAxis make_log_axis(const std::vector<double>& values);

}  // namespace ganscale::markup
