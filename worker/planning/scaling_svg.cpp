#include "planning/scaling_svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "report/html_text.h"

namespace ganscale::planning {
namespace {

constexpr int kWidth = 960;
constexpr int kHeight = 380;
constexpr std::array<std::string_view, 5> kColors = {"#2864dc", "#8a4fd3", "#d9650b", "#0d8a72",
                                                     "#667085"};  // of terms()
constexpr auto kStyle =
    "<style>text{font:12px system-ui,sans-serif;fill:#1b1f27}.soft{fill:#667085}"
    ".title{font-size:15px;font-weight:600}line{stroke:#e3e6ec}"
    "path{fill:none;stroke-width:2;stroke:#2864dc}.ideal{stroke:#667085;stroke-width:1.2;"
    "stroke-dasharray:5 4}circle{fill:#2864dc}.middle{text-anchor:middle}.end{text-anchor:end}"
    "</style>";

/// The place of a plot within the picture.
struct Frame {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
  double bottom() const { return top + height; }
};

constexpr Frame kSpeedup = {64, 52, 360, 270};
constexpr Frame kShares = {510, 52, 430, 270};

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string label(double x, double y, std::string_view css, const std::string& text) {
  return format("<text x=\"%.1f\" y=\"%.1f\" class=\"", x, y) + std::string(css) + "\">" +
         report::escape_html(text) + "</text>";
}

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
    return kSpeedup.left + kSpeedup.width * std::log2(gpus / first_gpus_) / count_;
  }
  double y(double speedup) const {
    return kSpeedup.bottom() - kSpeedup.height * std::max(0.0, std::log2(speedup)) / count_;
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
    svg += format("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x, kSpeedup.top,
                  kSpeedup.bottom());
    svg += format("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", kSpeedup.left,
                  kSpeedup.left + kSpeedup.width, y, y);
    svg += label(x, kSpeedup.bottom() + 18, "middle soft", format("%.0f", axes.gpus(i)));
    svg += label(kSpeedup.left - 8, y + 4, "end soft", format("%.0f", std::exp2(i)));
  }
  return svg;
}

std::string speedup_plot(const Scaling& scaling) {
  const Doublings axes(scaling);
  std::string svg = grid(axes);
  svg += label(kSpeedup.left, kSpeedup.top - 10, "soft", "speed-up; dashed: ideal");
  svg += label(kSpeedup.left + kSpeedup.width / 2, kSpeedup.bottom() + 38, "middle soft", "GPUs");
  svg += format("<path class=\"ideal\" d=\"M%.1f %.1fL%.1f %.1f\"/>", kSpeedup.left,
                kSpeedup.bottom(), kSpeedup.left + kSpeedup.width, kSpeedup.top);
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
  double bottom = kShares.bottom();
  for (std::size_t i = 0; i < terms().size(); ++i) {
    const double share = row.step.*terms()[i].seconds / row.step.total();
    const double height = kShares.height * share;
    bottom -= height;
    svg += format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"", x, bottom,
                  width, height) +
           std::string(kColors[i]) + "\"><title>" + std::string(terms()[i].name) +
           format(" %.1f%%</title></rect>", 100 * share);
  }
  return svg;
}

std::string shares_plot(const Scaling& scaling) {
  std::string svg = label(kShares.left, kShares.top - 10, "soft", "shares of a step");
  const double place = kShares.width / static_cast<double>(scaling.rows.size());
  for (std::size_t i = 0; i < scaling.rows.size(); ++i) {
    const double x = kShares.left + place * static_cast<double>(i);
    svg += bar(scaling.rows[i], x + place * 0.1, place * 0.8);
    svg += label(x + place / 2, kShares.bottom() + 18, "middle soft",
                 std::to_string(scaling.rows[i].scale.gpus));
  }
  svg += label(kShares.left + kShares.width / 2, kShares.bottom() + 38, "middle soft", "GPUs");
  double x = kShares.left;
  for (std::size_t i = 0; i < terms().size(); ++i) {
    svg += format("<rect x=\"%.1f\" y=\"%d\" width=\"11\" height=\"11\" fill=\"", x, kHeight - 17) +
           std::string(kColors[i]) + "\"/>";
    svg += label(x + 16, kHeight - 7, "", std::string(terms()[i].name));
    x += 30 + 7.0 * static_cast<double>(terms()[i].name.size());
  }
  return svg;
}

}  // namespace

std::string to_svg(const Scaling& scaling, const std::string& title) {
  return format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">",
                kWidth, kHeight) +
         kStyle + format("<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>", kWidth, kHeight) +
         label(20, 24, "title", title) + speedup_plot(scaling) + shares_plot(scaling) + "</svg>\n";
}

}  // namespace ganscale::planning
