#include "scaling_sweep/desired/speedup_chart.h"

#include <algorithm>
#include <cmath>

#include "scaling_sweep/desired/markup.h"

namespace ganscale::controller::scaling_sweep {
namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 420;
constexpr double kLeft = 64;
constexpr double kRight = 24;
constexpr double kTop = 34;
constexpr double kBottom = 56;

/// A logarithmic axis between two powers of two.
struct LogAxis {
  double from;
  double to;
  double start;  ///< in pixels
  double end;

  double at(double value) const {
    return start + std::log2(value / from) / std::log2(to / from) * (end - start);
  }
};

/// The axis over these values, which are positive.
LogAxis axis_of(const std::vector<double>& values, double start, double end) {
  const auto [least, most] = std::ranges::minmax(values);
  const double from = std::exp2(std::floor(std::log2(least)));
  double to = std::exp2(std::ceil(std::log2(most)));
  if (to <= from) to = 2 * from;
  return {from, to, start, end};
}

/// What is drawn, in ranks and speed-ups.
class Chart {
 public:
  Chart(const Plan& plan, const Summary& summary)
      : plan_(plan),
        summary_(summary),
        base_ranks_(plan.points[plan.baseline].ranks),
        x_(axis_of(ranks(), kLeft, kWidth - kRight)),
        y_(axis_of(speedups(), kHeight - kBottom, kTop)) {}

  std::string svg() const {
    return element("svg",
                   {{"xmlns", "http://www.w3.org/2000/svg"},
                    {"viewBox", "0 0 " + number(kWidth, 0) + " " + number(kHeight, 0)},
                    {"font-family", "system-ui, sans-serif"},
                    {"font-size", "13"},
                    {"role", "img"}},
                   element("title", {}, "Speed-up over the ranks") +
                       element("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", "#fff"}}) +
                       grid() + ideal() + law() + points() + legend());
  }

 private:
  std::vector<double> ranks() const {
    std::vector<double> values;
    for (const PlannedPoint& point : plan_.points) values.push_back(point.ranks);
    return values;
  }
  std::vector<double> speedups() const {
    std::vector<double> values{1};
    for (std::size_t i = 0; i < summary_.points.size(); ++i) {
      const PointResult& point = summary_.points[i];
      values.push_back(plan_.points[i].ranks / base_ranks_);  // the ideal
      if (point.speedup) values.push_back(*point.speedup);
    }
    return values;
  }

  static std::string line(double x1, double y1, double x2, double y2, Attributes style) {
    Attributes attributes{
        {"x1", number(x1, 1)}, {"y1", number(y1, 1)}, {"x2", number(x2, 1)}, {"y2", number(y2, 1)}};
    attributes.insert(attributes.end(), style.begin(), style.end());
    return element("line", attributes);
  }
  static std::string power(double value) { return number(value, value < 1 ? 2 : 0); }

  std::string grid() const {
    std::string text;
    const Attributes thin{{"stroke", "#ddd"}};
    for (double mark = x_.from; mark <= x_.to * 1.001; mark *= 2) {
      text += line(x_.at(mark), kTop, x_.at(mark), kHeight - kBottom, thin);
      text += label(x_.at(mark), kHeight - kBottom + 18, "middle", power(mark));
    }
    for (double mark = y_.from; mark <= y_.to * 1.001; mark *= 2) {
      text += line(kLeft, y_.at(mark), kWidth - kRight, y_.at(mark), thin);
      text += label(kLeft - 8, y_.at(mark) + 4, "end", power(mark));
    }
    text += label((kLeft + kWidth - kRight) / 2, kHeight - 14, "middle", "ranks");
    return text + label(kLeft, 14, "middle", "speed-up");
  }

  std::string ideal() const {
    const double first = plan_.points.front().ranks;
    const double last = plan_.points.back().ranks;
    return line(x_.at(first), y_.at(first / base_ranks_), x_.at(last), y_.at(last / base_ranks_),
                {{"stroke", "#888"}, {"stroke-dasharray", "6 4"}});
  }

  /// The universal scalability law, or Amdahl's where there are too few sizes for it.
  std::string law() const {
    const auto& fit = summary_.usl ? summary_.usl : summary_.amdahl;
    if (!fit) return "";
    constexpr int kPieces = 64;
    const double first = plan_.points.front().ranks;
    const double last = plan_.points.back().ranks;
    const double base = summary_.points[plan_.baseline].images_per_second;
    if (!(base > 0)) return "";
    std::string path;
    for (int i = 0; i <= kPieces; ++i) {
      const double p = first * std::pow(last / first, static_cast<double>(i) / kPieces);
      path += number(x_.at(p), 1) + "," + number(y_.at(fit->rate(p) / base), 1) + " ";
    }
    return element("polyline", {{"points", path}, {"fill", "none"}, {"stroke", "#e07b39"}});
  }

  std::string points() const {
    const Attributes bold{{"stroke", "#2266aa"}, {"stroke-width", "2"}};
    std::string text;
    for (std::size_t i = 0; i < summary_.points.size(); ++i) {
      const PointResult& point = summary_.points[i];
      if (!point.speedup) continue;
      const double x = x_.at(plan_.points[i].ranks);
      if (point.speedup_interval) text += whisker(x, *point.speedup_interval, bold);
      const std::string told = point_name(plan_.points[i].point) + ": " +
                               number(*point.speedup, 2) + " on " +
                               ranks_text(plan_.points[i].ranks);
      text += element("circle",
                      {{"cx", number(x, 1)},
                       {"cy", number(y_.at(*point.speedup), 1)},
                       {"r", "4.5"},
                       {"fill", "#2266aa"}},
                      element("title", {}, escaped(told)));
    }
    return text;
  }

  /// An interval; it has no end where it reaches out of the chart, as that of two repeats may.
  std::string whisker(double x, const Interval& interval, const Attributes& style) const {
    const double low = y_.at(std::clamp(interval.low, y_.from, y_.to));
    const double high = y_.at(std::clamp(interval.high, y_.from, y_.to));
    std::string text = line(x, low, x, high, style);
    if (interval.low >= y_.from) text += line(x - 5, low, x + 5, low, style);
    if (interval.high <= y_.to) text += line(x - 5, high, x + 5, high, style);
    return text;
  }

  std::string legend() const {
    const double x = kLeft + 16;
    std::string text =
        line(x, kTop + 16, x + 28, kTop + 16, {{"stroke", "#888"}, {"stroke-dasharray", "6 4"}}) +
        label(x + 36, kTop + 20, "start", "ideal") +
        element("circle", {{"cx", number(x + 14, 1)},
                           {"cy", number(kTop + 36, 1)},
                           {"r", "4.5"},
                           {"fill", "#2266aa"}}) +
        label(x + 36, kTop + 40, "start", "median, 95% interval");
    const auto& fit = summary_.usl ? summary_.usl : summary_.amdahl;
    if (!fit) return text;
    const std::string law = summary_.usl ? "universal scalability law" : "Amdahl's law";
    return text + line(x, kTop + 56, x + 28, kTop + 56, {{"stroke", "#e07b39"}}) +
           label(x + 36, kTop + 60, "start", law + ", R² " + number(fit->r_squared, 3));
  }

  const Plan& plan_;
  const Summary& summary_;
  const double base_ranks_;
  const LogAxis x_;
  const LogAxis y_;
};

}  // namespace

std::string speedup_chart(const Plan& plan, const Summary& summary) {
  const bool is_measured = std::ranges::any_of(
      summary.points, [](const PointResult& point) { return point.speedup.has_value(); });
  return is_measured ? Chart(plan, summary).svg() : "";
}

}  // namespace ganscale::controller::scaling_sweep
