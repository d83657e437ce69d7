#include "scaling_sweep/desired/step_chart.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

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

/// A part of a bar.
struct Part {
  const char* name;
  const char* color;
  double (*seconds)(const PointResult& point);
};
using Parts = std::vector<Part>;

double of_step(const PointResult& point, double StepTimes::* part) {
  return point.step ? (*point.step).*part : 0;
}

constexpr std::array kParts{
    Part{"training", "s1",
         [](const PointResult& point) { return point.completion_seconds.value_or(0); }},
    Part{"compute", "s1",
         [](const PointResult& point) { return of_step(point, &StepTimes::compute); }},
    Part{"exposed all-reduce", "s2",
         [](const PointResult& point) { return of_step(point, &StepTimes::all_reduce); }},
    Part{"data wait", "s5",
         [](const PointResult& point) { return of_step(point, &StepTimes::data_wait); }},
    Part{"wait for the other role", "s3",
         [](const PointResult& point) { return of_step(point, &StepTimes::role_wait); }}};

/// Returns the parts that took time at a point.
Parts parts_of(const Summary& summary) {
  Parts parts;
  for (const Part& part : kParts) {
    const bool took_time = std::ranges::any_of(
        summary.points, [&](const PointResult& point) { return part.seconds(point) > 0; });
    if (took_time) parts.push_back(part);
  }
  return parts;
}

double total(const PointResult& point) {
  return point.step ? point.step->total() : point.completion_seconds.value_or(0);
}

std::string box(double x, double y, double width, const Part& part, const std::string& title) {
  return markup::area({x, y, width, kBarHeight, part.color, title});
}

std::string duration(double seconds) {
  return seconds < 10 ? number(1000 * seconds, 1) + " ms" : number(seconds, 1) + " s";
}

std::string bar(const PointResult& point, const Parts& parts, double y, double longest) {
  const double scale = (kStepsWidth - kStepsLeft - kStepsRight) / longest;
  double x = kStepsLeft;
  std::string text;
  for (const Part& part : parts) {
    const double seconds = part.seconds(point);
    text += box(x, y, seconds * scale, part, std::string(part.name) + ": " + duration(seconds));
    x += seconds * scale;
  }
  return text + label(x + 8, y + 15, css(""), duration(total(point)));
}

std::string parts_legend(const Parts& parts) {
  constexpr double kLetterWidth = 6.5;  // about, of the drawing's font
  double x = kStepsLeft;
  std::string text;
  for (const Part& part : parts) {
    text += box(x, 8, 20, part, part.name) + label(x + 26, 23, css(""), part.name);
    x += 44 + kLetterWidth * static_cast<double>(std::string_view(part.name).size());
  }
  return text;
}

}  // namespace

std::string step_chart(const Plan& plan, const Summary& summary) {
  double longest = 0;
  for (const PointResult& point : summary.points) longest = std::max(longest, total(point));
  if (longest <= 0) return "";
  const Parts parts = parts_of(summary);
  std::string rows;
  double y = kStepsTop + 8;
  for (std::size_t i = 0; i < summary.points.size(); ++i) {
    if (summary.points[i].measured == 0) continue;
    rows += label(kStepsLeft - 8, y + 15, css("end"), ranks_text(plan.points[i].ranks));
    rows += bar(summary.points[i], parts, y, longest);
    y += kRowHeight;
  }
  const char* title =
      plan.spec.mode == Mode::kPerLabel ? "Time of a training" : "Where the time of a step goes";
  return markup::drawing(kStepsWidth, y + 8, title, parts_legend(parts) + rows);
}

}  // namespace ganscale::controller::scaling_sweep
