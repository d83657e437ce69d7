#include "planning/output/goodput_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "markup/axis.h"
#include "markup/drawing.h"
#include "planning/output/svg_document.h"

namespace ganscale::planning {

using markup::css;
using markup::label;
using markup::line;

namespace {

constexpr std::array<const char*, 3> kCurveColors = {"s2", "s1", "s3"};
constexpr double kTallestBar = 30;
constexpr double kRoomOfName = 18;  // above the bar of a scheme

struct Mark {
  double seconds;
  const char* name;
};
constexpr std::array<Mark, 6> kMarks = {
    {{10, "10 s"}, {60, "1 min"}, {300, "5 min"}, {1800, "30 min"}, {7200, "2 h"}, {14400, "4 h"}}};

/// The axes of the curves: the logarithm of the interval, and goodput from a tenth below the lowest.
class GoodputAxes {
 public:
  explicit GoodputAxes(const SimulatedRuns& runs)
      : seconds_{runs.curves.front().points.front().seconds,
                 runs.curves.front().points.back().seconds} {
    for (const GoodputCurve& curve : runs.curves) {
      for (const IntervalGoodput& at : curve.points) {
        goodput_.from = std::min(goodput_.from, at.goodput);
      }
    }
    goodput_.from = std::floor(10 * goodput_.from) / 10;
  }

  double lowest() const { return goodput_.from; }
  double x(double seconds) const {
    return kLeftPlot.x(std::clamp(seconds_.share(seconds), 0.0, 1.0));
  }
  double y(double goodput) const { return kLeftPlot.y(goodput_.share(goodput)); }

 private:
  markup::LogAxis seconds_;
  markup::Axis goodput_{.from = 0.9, .to = 1, .marks = {}};
};

std::string grid_of(const GoodputAxes& axes) {
  std::string svg;
  for (const Mark& mark : kMarks) {
    const double x = axes.x(mark.seconds);
    svg += line(x, kLeftPlot.top, x, kLeftPlot.bottom(), "grid");
    svg += label(x, kLeftPlot.bottom() + 18, css("middle soft"), mark.name);
  }
  const int every = axes.lowest() < 0.5 ? 20 : 10;
  for (int percent = 100; percent >= std::lround(100 * axes.lowest()); percent -= every) {
    const double y = axes.y(percent / 100.0);
    svg += line(kLeftPlot.left, y, kLeftPlot.right(), y, "grid");
    svg += label(kLeftPlot.left - 8, y + 4, css("end soft"), fmt::format("{}%", percent));
  }
  return svg;
}

std::string curve_of(const GoodputCurve& curve, const GoodputAxes& axes, const std::string& color) {
  std::string path;
  for (const IntervalGoodput& at : curve.points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', axes.x(at.seconds),
                        axes.y(at.goodput));
  }
  const double best = axes.x(curve.best_seconds);
  return markup::empty_element("path", {{"class", "line " + color}, {"d", path}}) +
         line(best, kLeftPlot.top, best, kLeftPlot.bottom(), "ideal " + color);
}

std::string goodput_plot(const SimulatedRuns& runs) {
  const GoodputAxes axes(runs);
  std::string svg = grid_of(axes);
  svg += label(kLeftPlot.left, kLeftPlot.top - 10, css("soft"),
               "goodput; dashed: the best interval by Daly's formula");
  svg += label(kLeftPlot.left + kLeftPlot.width / 2, kLeftPlot.bottom() + 36, css("middle soft"),
               "training between checkpoints");
  double x = kLeftPlot.left;
  for (std::size_t i = 0; i < runs.curves.size(); ++i) {
    svg += curve_of(runs.curves[i], axes, kCurveColors[i]);
    svg += markup::area({x, kPlotsHeight - 15, 11, 11, kCurveColors[i]});
    svg += label(x + 16, kPlotsHeight - 5, css(""),
                 fmt::format("{:.0f} h", runs.curves[i].rank_hours_between_failures) +
                     (i == 0 ? " between failures of a rank" : ""));
    x += i == 0 ? 236 : 84;
  }
  return svg;
}

std::string schemes_plot(const SimulatedRuns& runs) {
  const std::vector<SchemeRun>& schemes = runs.schemes.runs;
  const auto most = std::ranges::max_element(schemes, {}, &SchemeRun::images_per_second);
  const double height =
      std::min(kTallestBar, kRightPlot.height / static_cast<double>(schemes.size()) - kRoomOfName);
  std::string svg = label(kRightPlot.left, kRightPlot.top - 10, css("soft"),
                          fmt::format("images a second on {} GPUs", runs.schemes.gpus));
  double y = kRightPlot.top + 14;
  for (const SchemeRun& run : schemes) {
    svg += label(kRightPlot.left, y, css(""),
                 to_text(run.choice) + fmt::format(": {:.0f}", run.images_per_second));
    const double share = run.images_per_second / most->images_per_second;
    svg += markup::area({kRightPlot.left, y + 5, kRightPlot.width * share, height, "s1"});
    y += height + kRoomOfName;
  }
  return svg;
}

}  // namespace

std::string to_svg(const SimulatedRuns& runs, const std::string& title) {
  return svg_document(title, goodput_plot(runs) + schemes_plot(runs));
}

}  // namespace ganscale::planning
