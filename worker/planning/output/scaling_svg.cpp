#include "planning/output/scaling_svg.h"

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

constexpr std::array<const char*, 5> kColors = {"s1", "s4", "s2", "s3", "s5"};  // of terms()

/// The logarithmic axes of the speedup: doublings from the first row to the last.
class Doublings {
 public:
  explicit Doublings(const Scaling& scaling)
      : Doublings(scaling.rows.front().scale.gpus, scaling.rows.back().scale.gpus) {}

  int count() const { return static_cast<int>(count_); }
  double gpus(int doubling) const { return gpus_.from * std::exp2(doubling); }
  double x(double gpus) const { return kLeftPlot.x(gpus_.share(gpus)); }
  double y(double speedup) const { return kLeftPlot.y(speedup_.share(std::max(1.0, speedup))); }

 private:
  Doublings(double first_gpus, double last_gpus)
      : count_(std::max(1.0, std::ceil(std::log2(last_gpus / first_gpus) - 1e-9))),
        gpus_{first_gpus, first_gpus * std::exp2(count_)},
        speedup_{1, std::exp2(count_)} {}

  double count_;
  markup::LogAxis gpus_;
  markup::LogAxis speedup_;
};

std::string grid(const Doublings& axes) {
  std::string svg;
  const int every = axes.count() > 7 ? 2 : 1;
  for (int i = 0; i <= axes.count(); i += every) {
    const double x = axes.x(axes.gpus(i));
    const double y = axes.y(std::exp2(i));
    svg += line(x, kLeftPlot.top, x, kLeftPlot.bottom(), "grid");
    svg += line(kLeftPlot.left, y, kLeftPlot.right(), y, "grid");
    svg +=
        label(x, kLeftPlot.bottom() + 18, css("middle soft"), fmt::format("{:.0f}", axes.gpus(i)));
    svg += label(kLeftPlot.left - 8, y + 4, css("end soft"), fmt::format("{:.0f}", std::exp2(i)));
  }
  return svg;
}

std::string speedup_plot(const Scaling& scaling) {
  const Doublings axes(scaling);
  std::string svg = grid(axes);
  svg += label(kLeftPlot.left, kLeftPlot.top - 10, css("soft"), "speedup; dashed: ideal");
  svg += label(kLeftPlot.left + kLeftPlot.width / 2, kLeftPlot.bottom() + 38, css("middle soft"),
               "GPUs");
  svg += line(kLeftPlot.left, kLeftPlot.bottom(), kLeftPlot.right(), kLeftPlot.top, "ideal s5");
  std::string curve;
  std::string points;
  for (const ScalingRow& row : scaling.rows) {
    const double x = axes.x(row.scale.gpus);
    const double y = axes.y(row.speedup);
    curve += fmt::format("{}{:.1f} {:.1f}", curve.empty() ? 'M' : 'L', x, y);
    points += markup::point(x, y, "s1",
                            fmt::format("{} GPUs: {:.2f} times, {:.1f}%", row.scale.gpus,
                                        row.speedup, 100 * row.efficiency));
  }
  return svg + markup::empty_element("path", {{"class", "line s1"}, {"d", curve}}) + points;
}

std::string bar(const ScalingRow& row, double x, double width) {
  std::string svg;
  double bottom = kRightPlot.bottom();
  for (std::size_t i = 0; i < terms().size(); ++i) {
    const double share = row.step.*terms()[i].seconds / row.step.total();
    const double height = kRightPlot.height * share;
    bottom -= height;
    svg += markup::area({x, bottom, width, height, kColors[i],
                         fmt::format("{} {:.1f}%", terms()[i].name, 100 * share)});
  }
  return svg;
}

std::string shares_plot(const Scaling& scaling) {
  std::string svg = label(kRightPlot.left, kRightPlot.top - 10, css("soft"), "shares of a step");
  const double place = kRightPlot.width / static_cast<double>(scaling.rows.size());
  for (std::size_t i = 0; i < scaling.rows.size(); ++i) {
    const double x = kRightPlot.left + place * static_cast<double>(i);
    svg += bar(scaling.rows[i], x + place * 0.1, place * 0.8);
    svg += label(x + place / 2, kRightPlot.bottom() + 18, css("middle soft"),
                 std::to_string(scaling.rows[i].scale.gpus));
  }
  svg += label(kRightPlot.left + kRightPlot.width / 2, kRightPlot.bottom() + 38, css("middle soft"),
               "GPUs");
  double x = kRightPlot.left;
  for (std::size_t i = 0; i < terms().size(); ++i) {
    svg += markup::area({x, kPlotsHeight - 17, 11, 11, kColors[i]});
    svg += label(x + 16, kPlotsHeight - 7, css(""), std::string(terms()[i].name));
    x += 30 + 7.0 * static_cast<double>(terms()[i].name.size());
  }
  return svg;
}

}  // namespace

std::string to_svg(const Scaling& scaling, const std::string& title) {
  return svg_document(title, speedup_plot(scaling) + shares_plot(scaling));
}

}  // namespace ganscale::planning
