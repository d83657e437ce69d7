#include "report/page/chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "report/log/tick_line.h"
#include "report/page/html_text.h"

namespace ganscale::report {
namespace {

constexpr double kWidth = 1000;  // of the drawing, which is scaled to the page
constexpr double kHeight = 300;
constexpr std::size_t kMostPoints = 500;
constexpr std::size_t kManyPoints = 50;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// Of page.css: s1 ... s4.
std::string color_class(std::size_t series) { return "s" + std::to_string(series % 4 + 1); }

double round_step(double span, int wanted_marks) {
  const double rough = span / wanted_marks;
  const double magnitude = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * magnitude) return factor * magnitude;
  }
  return 10 * magnitude;
}

double mean(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (auto i = begin; i < end; ++i) sum += values[i];
  return sum / static_cast<double>(end - begin);
}

// Averages up to `radius` neighbors on each side. Missing values stay missing.
std::vector<double> moving_average(const std::vector<double>& values, std::size_t radius) {
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto reach = std::min({radius, i, values.size() - 1 - i});
    result.push_back(mean(values, i - reach, i + reach + 1));
  }
  return result;
}

std::vector<double> means(const std::vector<double>& values, std::size_t group) {
  std::vector<double> result;
  for (std::size_t begin = 0; begin < values.size(); begin += group) {
    result.push_back(mean(values, begin, std::min(begin + group, values.size())));
  }
  return result;
}

Axis y_axis(const Chart& chart) {
  std::vector<double> values;
  for (const auto& series : chart.series) {
    std::copy_if(series.values.begin(), series.values.end(), std::back_inserter(values),
                 [](double value) { return std::isfinite(value); });
  }
  if (values.empty()) return make_axis(0, 1, 4, false);
  std::sort(values.begin(), values.end());
  const auto outside = values.size() / 100;
  const double from = values[outside];
  const double to = values[values.size() - 1 - outside];
  return make_axis(chart.from_zero ? std::min(0.0, from) : from, to, 4, false);
}

std::string place(const Chart& chart, const Series& series, std::size_t i, const Axis& x,
                  const Axis& y) {
  return number(x.share(chart.x[i]) * kWidth) + " " +
         number((1 - y.share(series.values[i])) * kHeight);
}

std::string path(const Chart& chart, const Series& series, const Axis& x, const Axis& y) {
  std::string points;
  bool pen_down = false;
  for (std::size_t i = 0; i < chart.x.size(); ++i) {
    if (!std::isfinite(series.values[i])) {
      pen_down = false;
      continue;
    }
    points += (pen_down ? 'L' : 'M') + place(chart, series, i, x, y);
    pen_down = true;
  }
  return points;
}

/// Returns the path of the points that no line goes to.
std::string lone_points(const Chart& chart, const Series& series, const Axis& x, const Axis& y) {
  const auto is_there = [&](std::size_t i) {
    return i < chart.x.size() && std::isfinite(series.values[i]);
  };
  std::string points;
  for (std::size_t i = 0; i < chart.x.size(); ++i) {
    // A line of no length is drawn as its round ends.
    if (is_there(i) && !(i > 0 && is_there(i - 1)) && !is_there(i + 1)) {
      points += 'M' + place(chart, series, i, x, y) + "h0";
    }
  }
  return points;
}

std::string stroke(const std::string& color, const std::string& kind, const std::string& points) {
  return "<path class=\"" + color + kind + "\" d=\"" + points + "\"/>";
}

// A curve of many points is drawn twice: thin as it is, and bold with smoothing.
std::string curve(const Chart& chart, std::size_t index, const Axis& x, const Axis& y) {
  const auto& series = chart.series[index];
  const auto color = color_class(index);
  const auto points = path(chart, series, x, y);
  const auto lone = lone_points(chart, series, x, y);
  const auto dots = lone.empty() ? "" : stroke(color, " dot", lone);
  if (chart.x.size() < kManyPoints) return stroke(color, "", points) + dots;
  const auto radius = chart.x.size() / kManyPoints;
  const Series course{series.name, moving_average(series.values, radius)};
  return stroke(color, " thin", points) + stroke(color, "", path(chart, course, x, y)) + dots;
}

std::string drawing(const Chart& chart, const Axis& x, const Axis& y) {
  std::string svg = "<svg viewBox=\"0 0 1000 300\" preserveAspectRatio=\"none\" role=\"img\"" +
                    (" aria-label=\"" + escape_html(chart.title)) + "\">";
  for (const double mark : y.marks) {
    const auto height = number((1 - y.share(mark)) * kHeight);
    svg += "<line x1=\"0\" x2=\"1000\" y1=\"" + height + "\" y2=\"" + height + "\"/>";
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    svg += curve(chart, i, x, y);
  }
  return svg + "</svg>";
}

std::string labels(const Axis& axis, const std::string& kind, const std::string& side) {
  std::string html;
  for (const double mark : axis.marks) {
    html += "<span class=\"" + kind + "\" style=\"" + side + ":" + number(100 * axis.share(mark)) +
            "%\">" + number(mark) + "</span>";
  }
  return html;
}

std::string legend(const Chart& chart) {
  std::string items;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const auto& series = chart.series[i];
    items +=
        element("li", color_class(i),
                escape_html(series.name) + " <b>" + format_short(series.values.back()) + "</b>");
  }
  return element("ul", "legend", items + element("li", "where", ""));
}

std::string numbers_json(const Chart& chart, const Axis& x) {
  nlohmann::ordered_json y = nlohmann::ordered_json::array();
  for (const auto& series : chart.series) y.push_back(series.values);
  const nlohmann::ordered_json json{
      {"from", x.from}, {"to", x.to}, {"unit", chart.x_unit}, {"x", chart.x}, {"y", y}};
  return "<script type=\"application/json\">" + json.dump() + "</script>";
}

}  // namespace

Axis make_axis(double from, double to, int wanted_marks, bool tight) {
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

Chart thin_out(const Chart& chart, std::size_t limit) {
  const auto group = (chart.x.size() + limit - 1) / limit;
  if (group <= 1) return chart;
  Chart thin = chart;
  thin.x = means(chart.x, group);
  for (auto& series : thin.series) series.values = means(series.values, group);
  return thin;
}

std::string chart_html(const Chart& whole) {
  const Chart chart = thin_out(whole, kMostPoints);
  const Axis x = make_axis(chart.x.front(), chart.x.back(), 5, true);
  const Axis y = y_axis(chart);
  const auto title = escape_html(chart.title) + " " + element("span", "", escape_html(chart.unit));
  const auto plot = drawing(chart, x, y) + labels(y, "y", "bottom") + labels(x, "x", "left") +
                    element("i", "at", "");
  return element("figure", "card chart",
                 element("figcaption", "", title) + element("div", "plot", plot) + legend(chart) +
                     numbers_json(chart, x));
}

}  // namespace ganscale::report
