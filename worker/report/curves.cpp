#include "report/curves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace ganscale::report {
namespace {

using Lines = std::vector<nlohmann::ordered_json>;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Losses that are not finite are written as null.
double number_at(const nlohmann::ordered_json& line, const std::string& pointer) {
  const nlohmann::ordered_json::json_pointer place(pointer);
  if (!line.contains(place) || !line.at(place).is_number()) return kNothing;
  return line.at(place).get<double>();
}

std::vector<double> column(const Lines& lines, const std::string& pointer, double factor = 1) {
  std::vector<double> values;
  for (const auto& line : lines) values.push_back(number_at(line, pointer) * factor);
  return values;
}

bool has_numbers(const Series& series) {
  return std::ranges::any_of(series.values, [](double value) { return std::isfinite(value); });
}

// All numbers of the map at `pointer`, one curve per key.
std::vector<Series> columns_of(const Lines& lines, const std::string& pointer) {
  std::set<std::string> names;
  for (const auto& line : lines) {
    const auto map = line.find(pointer.substr(1));
    if (map == line.end() || !map->is_object()) continue;
    for (const auto& [name, value] : map->items()) names.insert(name);
  }
  std::vector<Series> all;
  for (const auto& name : names) all.push_back({name, column(lines, pointer + "/" + name)});
  return all;
}

std::vector<Chart> all_tick_charts(const Lines& ticks) {
  constexpr double kPercent = 100;
  constexpr double kMilliseconds = 1000;
  constexpr double kGibibyte = 1.0 / (1 << 30);
  return {
      {"Loss", "mean of a tick", {}, columns_of(ticks, "/loss"), false},
      {"Scores", "mean of sigmoid(D(x))", {}, columns_of(ticks, "/score"), true},
      {"Rate", "seconds per 1000 images", {}, {{"s/kimg", column(ticks, "/s_per_kimg")}}, true},
      {"Waiting",
       "% of the time",
       {},
       {{"for images", column(ticks, "/data_wait_share", kPercent)},
        {"for other ranks", column(ticks, "/all_reduce_share", kPercent)}},
       true},
      {"Reader threads", "of a rank", {}, {{"threads", column(ticks, "/reader_threads")}}, true},
      {"Slow reads",
       "ms, 95th percentile",
       {},
       {{"ms", column(ticks, "/read_tail_seconds", kMilliseconds)}},
       true},
      {"Learning rate", "", {}, columns_of(ticks, "/learning_rate"), true},
      {"Memory",
       "GiB",
       {},
       {{"host", column(ticks, "/host_memory_bytes", kGibibyte)},
        {"device", column(ticks, "/device_memory_bytes", kGibibyte)}},
       true},
      {"Augmentation", "probability", {}, {{"p", column(ticks, "/augment_p")}}, true},
  };
}

void keep_drawable(std::vector<Chart>& charts, const Lines& lines) {
  for (auto& chart : charts) {
    chart.x = column(lines, "/images_seen", 1e-3);
    std::erase_if(chart.series, [](const Series& series) { return !has_numbers(series); });
  }
  std::erase_if(charts, [](const Chart& chart) { return chart.series.empty(); });
}

}  // namespace

std::vector<Chart> tick_charts(const RunSummary& run) {
  auto charts = all_tick_charts(run.ticks);
  keep_drawable(charts, run.ticks);
  return charts;
}

std::vector<Chart> metric_charts(const RunSummary& run) {
  static const std::set<std::string> kNotMetrics{"images_seen", "kimg", "tick", "step", "seconds"};
  std::vector<Chart> charts;
  std::set<std::string> names;
  for (const auto& line : run.metrics) {
    for (const auto& [name, value] : line.items()) {
      if (value.is_number() && !kNotMetrics.contains(name)) names.insert(name);
    }
  }
  for (const auto& name : names) {
    charts.push_back({name, "", {}, {{name, column(run.metrics, "/" + name)}}, false});
  }
  keep_drawable(charts, run.metrics);
  return charts;
}

}  // namespace ganscale::report
