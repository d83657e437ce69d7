#include "scaling_sweep/desired/step_chart.h"

#include <algorithm>
#include <array>

#include "markup/drawing.h"
#include "markup/plot.h"
#include "scaling_sweep/desired/figures.h"

namespace ganscale::controller::scaling_sweep {

using markup::css;
using markup::label;

namespace {

constexpr double kStepsWidth = 640;
constexpr double kStepsLeft = 96;
constexpr double kStepsRight = 96;
constexpr double kStepsTop = 36;
constexpr double kRowHeight = 30;
constexpr double kBarHeight = 20;

struct Part {
  const char* name;
  const char* color;
  double Breakdown::* seconds;
};
constexpr std::array<Part, 3> kParts{{{"compute", "s1", &Breakdown::compute},
                                      {"exposed all-reduce", "s2", &Breakdown::all_reduce},
                                      {"data wait", "s5", &Breakdown::data_wait}}};

std::string box(double x, double y, double width, const Part& part, const std::string& title) {
  return markup::area({x, y, width, kBarHeight, part.color, title});
}

std::string duration(double seconds) {
  return seconds < 10 ? number(1000 * seconds, 1) + " ms" : number(seconds, 1) + " s";
}

std::string bar(const Breakdown& step, double y, double longest) {
  const double scale = (kStepsWidth - kStepsLeft - kStepsRight) / longest;
  double x = kStepsLeft;
  std::string text;
  for (const Part& part : kParts) {
    const double seconds = step.*part.seconds;
    text += box(x, y, seconds * scale, part, std::string(part.name) + ": " + duration(seconds));
    x += seconds * scale;
  }
  return text + label(x + 8, y + 15, css(""), duration(step.total()));
}

std::string parts_legend() {
  double x = kStepsLeft;
  std::string text;
  for (const Part& part : kParts) {
    text += box(x, 8, 20, part, part.name) + label(x + 26, 23, css(""), part.name);
    x += 175;
  }
  return text;
}

}  // namespace

std::string step_chart(const Plan& plan, const Summary& summary) {
  double longest = 0;
  for (const PointResult& point : summary.points) longest = std::max(longest, point.step.total());
  if (longest <= 0) return "";
  std::string rows;
  double y = kStepsTop + 8;
  for (std::size_t i = 0; i < summary.points.size(); ++i) {
    if (summary.points[i].measured == 0) continue;
    rows += label(kStepsLeft - 8, y + 15, css("end"), ranks_text(plan.points[i].ranks));
    rows += bar(summary.points[i].step, y, longest);
    y += kRowHeight;
  }
  return markup::drawing(kStepsWidth, y + 8, "Where the time of a step goes",
                         parts_legend() + rows);
}

}  // namespace ganscale::controller::scaling_sweep
