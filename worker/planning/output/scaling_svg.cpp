#include "planning/output/scaling_svg.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "planning/output/format.h"
#include "planning/output/svg_document.h"

namespace ganscale::planning {
namespace {

constexpr std::array<std::string_view, 5> kColors = {"#2864dc", "#8a4fd3", "#d9650b", "#0d8a72",
                                                     "#667085"};  // of terms()

/// The logarithmic axes of the speed-up: doublings from the first row to the last.
class Doublings {
 public:
  explicit Doublings(const Scaling& scaling)
      : first_gpus_(scaling.rows.front().scale.gpus),
        count_(std::max(
            1.0, std::ceil(std::log2(scaling.rows.back().scale.gpus / first_gpus_) - 1e-9))) {}

  int count() const { return static_cast<int>(count_); }
  double gpus(int doubling) const { return first_gpus_ * std::exp2(doubling); }
  double x(double gpus) const {
    return kLeftPlot.left + kLeftPlot.width * std::log2(gpus / first_gpus_) / count_;
  }
  double y(double speedup) const {
    return kLeftPlot.bottom() - kLeftPlot.height * std::max(0.0, std::log2(speedup)) / count_;
  }

 private:
  double first_gpus_;
  double count_;
};

std::string grid(const Doublings& axes) {
  std::string svg;
  const int every = axes.count() > 7 ? 2 : 1;
  for (int i = 0; i <= axes.count(); i += every) {
    const double x = axes.x(axes.gpus(i));
    const double y = axes.y(std::exp2(i));
    svg += grid_line(x, kLeftPlot.top, x, kLeftPlot.bottom());
    svg += grid_line(kLeftPlot.left, y, kLeftPlot.left + kLeftPlot.width, y);
    svg += label(x, kLeftPlot.bottom() + 18, "middle soft", format("%.0f", axes.gpus(i)));
    svg += label(kLeftPlot.left - 8, y + 4, "end soft", format("%.0f", std::exp2(i)));
  }
  return svg;
}

std::string speedup_plot(const Scaling& scaling) {
  const Doublings axes(scaling);
  std::string svg = grid(axes);
  svg += label(kLeftPlot.left, kLeftPlot.top - 10, "soft", "speed-up; dashed: ideal");
  svg +=
      label(kLeftPlot.left + kLeftPlot.width / 2, kLeftPlot.bottom() + 38, "middle soft", "GPUs");
  svg += format("<path class=\"ideal\" d=\"M%.1f %.1fL%.1f %.1f\"/>", kLeftPlot.left,
                kLeftPlot.bottom(), kLeftPlot.left + kLeftPlot.width, kLeftPlot.top);
  std::string curve;
  std::string points;
  for (const ScalingRow& row : scaling.rows) {
    const double x = axes.x(row.scale.gpus);
    const double y = axes.y(row.speedup);
    curve += format("%c%.1f %.1f", curve.empty() ? 'M' : 'L', x, y);
    points += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>", x, y) +
              format("%d GPUs: %.2f times, %.1f%%</title></circle>", row.scale.gpus, row.speedup,
                     100 * row.efficiency);
  }
  return svg + "<path d=\"" + curve + "\"/>" + points;
}

std::string bar(const ScalingRow& row, double x, double width) {
  std::string svg;
  double bottom = kRightPlot.bottom();
  for (std::size_t i = 0; i < terms().size(); ++i) {
    const double share = row.step.*terms()[i].seconds / row.step.total();
    const double height = kRightPlot.height * share;
    bottom -= height;
    svg += format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"", x, bottom,
                  width, height) +
           std::string(kColors[i]) + "\"><title>" + std::string(terms()[i].name) +
           format(" %.1f%%</title></rect>", 100 * share);
  }
  return svg;
}

std::string shares_plot(const Scaling& scaling) {
  std::string svg = label(kRightPlot.left, kRightPlot.top - 10, "soft", "shares of a step");
  const double place = kRightPlot.width / static_cast<double>(scaling.rows.size());
  for (std::size_t i = 0; i < scaling.rows.size(); ++i) {
    const double x = kRightPlot.left + place * static_cast<double>(i);
    svg += bar(scaling.rows[i], x + place * 0.1, place * 0.8);
    svg += label(x + place / 2, kRightPlot.bottom() + 18, "middle soft",
                 std::to_string(scaling.rows[i].scale.gpus));
  }
  svg += label(kRightPlot.left + kRightPlot.width / 2, kRightPlot.bottom() + 38, "middle soft",
               "GPUs");
  double x = kRightPlot.left;
  for (std::size_t i = 0; i < terms().size(); ++i) {
    svg += format("<rect x=\"%.1f\" y=\"%d\" width=\"11\" height=\"11\" fill=\"", x,
                  kPlotsHeight - 17) +
           std::string(kColors[i]) + "\"/>";
    svg += label(x + 16, kPlotsHeight - 7, "", std::string(terms()[i].name));
    x += 30 + 7.0 * static_cast<double>(terms()[i].name.size());
  }
  return svg;
}

}  // namespace

std::string to_svg(const Scaling& scaling, const std::string& title) {
  return svg_document(title, speedup_plot(scaling) + shares_plot(scaling));
}

}  // namespace ganscale::planning
