#include "report/page/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/finite_values.h"
#include "markup/axis.h"
#include "markup/element.h"
#include "report/log/tick_line.h"

namespace ganscale::report {

using markup::Axis;
using markup::element;
using markup::escaped;
using markup::make_axis;

namespace {

constexpr double kWidth = 1000;  // of the drawing, which is scaled to the page
constexpr double kHeight = 300;
constexpr std::size_t kMostPoints = 500;
constexpr std::size_t kManyPoints = 50;

std::string number(double value) { return fmt::format("{:.6g}", value); }

// Of page.css: s1 ... s4.
std::string color_class(std::size_t series) { return "s" + std::to_string(series % 4 + 1); }

// Not every tick has every value: a lazy penalty may be due in one of ten.
double finite_mean(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  const auto item = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
  return FiniteValues(std::vector<double>(item(begin), item(end))).mean;
}

// Averages up to `radius` neighbors on each side. Missing values stay missing.
std::vector<double> moving_average(const std::vector<double>& values, std::size_t radius) {
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto reach = std::min({radius, i, values.size() - 1 - i});
    const bool is_there = std::isfinite(values[i]);
    result.push_back(is_there ? finite_mean(values, i - reach, i + reach + 1) : values[i]);
  }
  return result;
}

std::vector<double> means(const std::vector<double>& values, std::size_t group) {
  std::vector<double> result;
  for (std::size_t begin = 0; begin < values.size(); begin += group) {
    result.push_back(finite_mean(values, begin, std::min(begin + group, values.size())));
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
                    (" aria-label=\"" + escaped(chart.title)) + "\">";
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

// As page.js shows it.
std::string value_or_dash(double value) { return std::isfinite(value) ? format_short(value) : "–"; }

std::string legend(const Chart& chart) {
  std::string items;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const auto& series = chart.series[i];
    items += element("li", {{"class", color_class(i)}},
                     escaped(series.name) + " <b>" + value_or_dash(series.values.back()) + "</b>");
  }
  return element("ul", {{"class", "legend"}}, items + element("li", {{"class", "where"}}, ""));
}

std::string numbers_json(const Chart& chart, const Axis& x) {
  nlohmann::ordered_json y = nlohmann::ordered_json::array();
  for (const auto& series : chart.series) y.push_back(series.values);
  const nlohmann::ordered_json json{
      {"from", x.from}, {"to", x.to}, {"unit", chart.x_unit}, {"x", chart.x}, {"y", y}};
  return "<script type=\"application/json\">" + json.dump() + "</script>";
}

}  // namespace

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
  const auto title = escaped(chart.title) + " " + element("span", {}, escaped(chart.unit));
  const auto plot = drawing(chart, x, y) + labels(y, "y", "bottom") + labels(x, "x", "left") +
                    element("i", {{"class", "at"}}, "");
  return element("figure", {{"class", "card chart"}},
                 element("figcaption", {}, title) + element("div", {{"class", "plot"}}, plot) +
                     legend(chart) + numbers_json(chart, x));
}

}  // namespace ganscale::report
