#include "scaling_sweep/desired/speedup_chart.h"

#include <algorithm>
#include <cmath>

#include "markup/axis.h"
#include "markup/drawing.h"
#include "markup/plot.h"
#include "scaling_sweep/desired/figures.h"

namespace ganscale::controller::scaling_sweep {

using markup::css;
using markup::label;
using markup::line;

namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 420;
constexpr markup::Frame kPlot{.left = 64, .top = 34, .width = 552, .height = 330};

/// What is drawn, in ranks and speedups.
class Chart {
 public:
  Chart(const Plan& plan, const Summary& summary)
      : plan_(plan),
        summary_(summary),
        base_ranks_(plan.points[plan.baseline].ranks),
        ranks_(markup::make_log_axis(ranks())),
        speedups_(markup::make_log_axis(speedups())) {}

  std::string svg() const {
    return markup::drawing(kWidth, kHeight, "Speedup over the ranks",
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

  double x_of(double ranks) const { return kPlot.x(ranks_.share(ranks)); }
  double y_of(double speedup) const { return kPlot.y(speedups_.share(speedup)); }

  static std::string power(double value) { return number(value, value < 1 ? 2 : 0); }

  std::string grid() const {
    std::string text;
    for (double mark = ranks_.from; mark <= ranks_.to * 1.001; mark *= 2) {
      text += line(x_of(mark), kPlot.top, x_of(mark), kPlot.bottom(), "grid");
      text += label(x_of(mark), kPlot.bottom() + 18, css("middle soft"), power(mark));
    }
    for (double mark = speedups_.from; mark <= speedups_.to * 1.001; mark *= 2) {
      text += line(kPlot.left, y_of(mark), kPlot.right(), y_of(mark), "grid");
      text += label(kPlot.left - 8, y_of(mark) + 4, css("end soft"), power(mark));
    }
    text += label((kPlot.left + kPlot.right()) / 2, kHeight - 14, css("middle soft"), "ranks");
    return text + label(kPlot.left, 14, css("middle soft"), "speedup");
  }

  std::string ideal() const {
    const double first = plan_.points.front().ranks;
    const double last = plan_.points.back().ranks;
    return line(x_of(first), y_of(first / base_ranks_), x_of(last), y_of(last / base_ranks_),
                "ideal s5");
  }

  /// The universal scalability law, or Amdahl's if there are too few sizes for it.
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
      path += number(x_of(p), 1) + "," + number(y_of(fit->rate(p) / base), 1) + " ";
    }
    return markup::empty_element("polyline", {{"points", path}, {"class", "line s2"}});
  }

  std::string points() const {
    std::string text;
    for (std::size_t i = 0; i < summary_.points.size(); ++i) {
      const PointResult& point = summary_.points[i];
      if (!point.speedup) continue;
      const double x = x_of(plan_.points[i].ranks);
      if (point.speedup_interval) text += whisker(x, *point.speedup_interval);
      const std::string title = point_name(plan_.points[i].point) + ": " +
                                number(*point.speedup, 2) + " on " +
                                ranks_text(plan_.points[i].ranks);
      text += markup::point(x, y_of(*point.speedup), "s1", title);
    }
    return text;
  }

  /// An interval; it has no end where it leaves the chart, as it may for two repeats.
  std::string whisker(double x, const Interval& interval) const {
    const double low = y_of(std::clamp(interval.low, speedups_.from, speedups_.to));
    const double high = y_of(std::clamp(interval.high, speedups_.from, speedups_.to));
    std::string text = line(x, low, x, high, "line s1");
    if (interval.low >= speedups_.from) text += line(x - 5, low, x + 5, low, "line s1");
    if (interval.high <= speedups_.to) text += line(x - 5, high, x + 5, high, "line s1");
    return text;
  }

  std::string legend() const {
    const double x = kPlot.left + 16;
    std::string text = line(x, kPlot.top + 16, x + 28, kPlot.top + 16, "ideal s5") +
                       label(x + 36, kPlot.top + 20, css(""), "ideal") +
                       markup::point(x + 14, kPlot.top + 36, "s1") +
                       label(x + 36, kPlot.top + 40, css(""), "median, 95% interval");
    const auto& fit = summary_.usl ? summary_.usl : summary_.amdahl;
    if (!fit) return text;
    const std::string law = summary_.usl ? "universal scalability law" : "Amdahl's law";
    return text + line(x, kPlot.top + 56, x + 28, kPlot.top + 56, "line s2") +
           label(x + 36, kPlot.top + 60, css(""), law + ", R² " + number(fit->r_squared, 3));
  }

  const Plan& plan_;
  const Summary& summary_;
  const double base_ranks_;
  const markup::LogAxis ranks_;
  const markup::LogAxis speedups_;
};

}  // namespace

std::string speedup_chart(const Plan& plan, const Summary& summary) {
  const bool is_measured = std::ranges::any_of(
      summary.points, [](const PointResult& point) { return point.speedup.has_value(); });
  return is_measured ? Chart(plan, summary).svg() : "";
}

}  // namespace ganscale::controller::scaling_sweep
