#include "markup/axis.h"

#include <algorithm>

namespace ganscale::markup {
namespace {

double round_step(double span, int wanted_marks) {
  const double rough = span / wanted_marks;
  const double magnitude = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * magnitude) return factor * magnitude;
  }
  return 10 * magnitude;
}

}  // namespace

Axis make_axis(double from, double to, int wanted_marks, bool tight) {
  constexpr double kMost = 1e300;  // whose multiples are finite
  from = std::clamp(from, -kMost, kMost);
  to = std::clamp(to, -kMost, kMost);
  if (to - from < 1e-9 * std::max(1e-6, std::abs(to))) {
    const double room = to == 0 ? 1 : std::abs(to) / 2;
    from -= room;
    to += room;
  }
  const double step = round_step(to - from, wanted_marks);
  Axis axis{.from = from, .to = to, .marks = {}};
  if (!tight) {
    axis.from = std::floor(from / step) * step;
    axis.to = std::ceil(to / step) * step;
  }
  const auto first = std::llround(std::ceil(axis.from / step - 1e-9));
  const auto last = std::llround(std::floor(axis.to / step + 1e-9));
  for (auto i = first; i <= last; ++i) axis.marks.push_back(static_cast<double>(i) * step);
  return axis;
}

LogAxis make_log_axis(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  const double from = std::exp2(std::floor(std::log2(least)));
  const double to = std::exp2(std::ceil(std::log2(most)));
  return {from, to <= from ? 2 * from : to};
}

}  // namespace ganscale::markup
