#include "report/page/curves.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "report/log/line_values.h"

namespace ganscale::report {
namespace {

using Lines = std::vector<nlohmann::ordered_json>;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// The keys that lead to a value.
using Keys = std::vector<std::string>;

// Losses that are not finite are written as null.
double number_at(const nlohmann::ordered_json& line, const Keys& keys) {
  const auto* const value = find_at(line, keys);
  return value != nullptr && value->is_number() ? value->get<double>() : kNothing;
}

std::vector<double> column(const Lines& lines, const Keys& keys, double factor = 1) {
  std::vector<double> values;
  for (const auto& line : lines) values.push_back(number_at(line, keys) * factor);
  return values;
}

bool has_numbers(const Series& series) {
  return std::ranges::any_of(series.values, [](double value) { return std::isfinite(value); });
}

// All numbers of the map under a key, one curve for each of its own.
std::vector<Series> columns_of(const Lines& lines, const std::string& key) {
  std::set<std::string> names;
  for (const auto& line : lines) {
    const auto map = line.find(key);
    if (map == line.end() || !map->is_object()) continue;
    for (const auto& [name, value] : map->items()) names.insert(name);
  }
  std::vector<Series> all;
  for (const auto& name : names) all.push_back({name, column(lines, {key, name})});
  return all;
}

constexpr std::array<const char*, 2> kNetworks = {"generator", "discriminator"};

/// Returns a curve for each network whose ranks train it alone.
std::vector<Series> columns_of_roles(const Lines& ticks, const std::string& key, double factor) {
  std::vector<Series> all;
  for (const std::string network : kNetworks) {
    all.push_back({network, column(ticks, {"roles", network, key}, factor)});
  }
  return all;
}

/// The ages that a role used in a tick, in steps.
struct Ages {
  double mean = kNothing;
  double oldest = kNothing;
};

/// histogram: steps by age, {"0": 14, "1": 2}.
Ages ages_in(const nlohmann::ordered_json& histogram) {
  double sum = 0;
  double steps = 0;
  Ages ages;
  if (!histogram.is_object()) return ages;
  for (const auto& [text, count] : histogram.items()) {
    if (!count.is_number()) continue;
    double age = 0;
    std::from_chars(text.data(), text.data() + text.size(), age);
    sum += age * count.get<double>();
    steps += count.get<double>();
    ages.oldest = std::fmax(ages.oldest, age);
  }
  if (steps > 0) ages.mean = sum / steps;
  return ages;
}

/// Returns two curves for each role: the mean age and the highest one.
std::vector<Series> staleness_of(const Lines& ticks) {
  std::vector<Series> all;
  for (const std::string network : kNetworks) {
    Series mean{network, {}};
    Series oldest{network + ", oldest", {}};
    for (const auto& tick : ticks) {
      const auto* const histogram = find_at(tick, {"roles", network, "staleness"});
      const Ages ages = histogram != nullptr ? ages_in(*histogram) : Ages();
      mean.values.push_back(ages.mean);
      oldest.values.push_back(ages.oldest);
    }
    all.push_back(std::move(mean));
    all.push_back(std::move(oldest));
  }
  return all;
}

/// Returns a chart without x whose y axis starts at 0.
Chart from_zero(std::string title, std::string unit, std::vector<Series> series) {
  return {std::move(title), std::move(unit), {}, std::move(series), true};
}

std::vector<Chart> role_charts(const Lines& ticks) {
  constexpr double kPercent = 100;
  constexpr double kMilliseconds = 1000;
  return {
      from_zero("Waiting for the other role", "% of the time",
                columns_of_roles(ticks, "wait_share", kPercent)),
      from_zero("Staleness", "steps", staleness_of(ticks)),
      from_zero("Time of a step", "ms", columns_of_roles(ticks, "seconds_per_step", kMilliseconds)),
  };
}

std::vector<Chart> all_tick_charts(const Lines& ticks) {
  constexpr double kPercent = 100;
  constexpr double kMilliseconds = 1000;
  constexpr double kGibibyte = 1.0 / (1 << 30);
  std::vector<Chart> charts = {
      {"Loss", "mean of a tick", {}, columns_of(ticks, "loss"), false},
      from_zero("Scores", "mean of sigmoid(D(x))", columns_of(ticks, "score")),
      from_zero("Rate", "seconds per 1000 images", {{"s/kimg", column(ticks, {"s_per_kimg"})}}),
      from_zero("Waiting", "% of the time",
                {{"for images", column(ticks, {"data_wait_share"}, kPercent)},
                 {"for other ranks", column(ticks, {"all_reduce_share"}, kPercent)}}),
      from_zero("Reader threads", "of a rank", {{"threads", column(ticks, {"reader_threads"})}}),
      from_zero("Slow reads", "ms, 95th percentile",
                {{"ms", column(ticks, {"read_tail_seconds"}, kMilliseconds)}}),
      from_zero("Learning rate", "", columns_of(ticks, "learning_rate")),
      from_zero("Scheduled", "weights, half-lives", columns_of(ticks, "scheduled")),
      from_zero("Memory", "GiB",
                {{"host", column(ticks, {"host_memory_bytes"}, kGibibyte)},
                 {"device", column(ticks, {"device_memory_bytes"}, kGibibyte)}}),
      from_zero("Augmentation", "probability", {{"p", column(ticks, {"augment_p"})}}),
  };
  std::ranges::move(role_charts(ticks), std::back_inserter(charts));
  return charts;
}

void keep_drawable(std::vector<Chart>& charts, const std::vector<double>& x) {
  for (auto& chart : charts) {
    chart.x = x;
    std::erase_if(chart.series, [](const Series& series) { return !has_numbers(series); });
  }
  std::erase_if(charts, [](const Chart& chart) { return chart.series.empty(); });
}

std::vector<double> kimg_of(const Lines& lines) { return column(lines, {"images_seen"}, 1e-3); }

/// Returns whether a number of metrics.jsonl is not a metric but says when, or how long, it was
/// measured.
bool is_time(const std::string& name) {
  static const std::set<std::string> kCounts{"images_seen", "kimg", "tick", "step"};
  return kCounts.contains(name) || name.ends_with("seconds");
}

/// Returns the names of the values by metric: "fid50k_ema_2", of an average with another half-life,
/// belongs to "fid50k".
std::map<std::string, std::set<std::string>> names_by_metric(const Lines& lines) {
  std::map<std::string, std::set<std::string>> names;
  for (const auto& line : lines) {
    for (const auto& [name, value] : line.items()) {
      if (!value.is_number() || is_time(name)) continue;
      names[name.substr(0, name.find("_ema_"))].insert(name);
    }
  }
  return names;
}

/// Returns a chart of a metric over the evaluations that measured it. x: of each line.
Chart chart_of(const std::string& metric, const std::set<std::string>& names, const Lines& lines,
               const std::vector<double>& x) {
  Chart chart;
  chart.title = metric;
  for (const auto& name : names) {
    chart.series.push_back({name == metric ? metric : name.substr(metric.size() + 1), {}});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto is_in_line = [&](const std::string& name) { return lines[i].contains(name); };
    if (std::ranges::none_of(names, is_in_line)) continue;
    chart.x.push_back(x[i]);
    auto series = chart.series.begin();
    for (const auto& name : names) (series++)->values.push_back(number_at(lines[i], {name}));
  }
  return chart;
}

std::vector<Chart> charts_of(const Lines& lines, const std::vector<double>& x) {
  std::vector<Chart> all;
  for (const auto& [metric, names] : names_by_metric(lines)) {
    all.push_back(chart_of(metric, names, lines, x));
  }
  return all;
}

/// Returns the time of the training at which it had seen that many images; NaN after the last tick.
double seconds_at(const Lines& ticks, double images_seen) {
  double images_before = 0;
  double seconds_before = 0;
  for (const auto& tick : ticks) {
    const double images = number_at(tick, {"images_seen"});
    const double seconds = number_at(tick, {"seconds"});
    if (images_seen <= images) {
      return seconds_before +
             (seconds - seconds_before) * (images_seen - images_before) / (images - images_before);
    }
    images_before = images;
    seconds_before = seconds;
  }
  return kNothing;
}

/// A unit in which a duration has few digits.
struct TimeUnit {
  const char* name;
  double seconds;
};

TimeUnit unit_for(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (seconds >= 2 * kHour) return {"h", kHour};
  return seconds >= 2 * kMinute ? TimeUnit{"min", kMinute} : TimeUnit{"s", 1};
}

}  // namespace

std::vector<Chart> tick_charts(const RunSummary& run) {
  auto charts = all_tick_charts(run.ticks);
  keep_drawable(charts, kimg_of(run.ticks));
  return charts;
}

std::vector<Chart> metric_charts(const RunSummary& run) {
  return charts_of(run.metrics, kimg_of(run.metrics));
}

std::vector<Chart> metric_time_charts(const RunSummary& run) {
  Lines metrics;
  std::vector<double> times;
  for (const auto& line : run.metrics) {
    const bool knows_time = line.contains("training_seconds");
    const double seconds = knows_time ? number_at(line, {"training_seconds"})
                                      : seconds_at(run.ticks, number_at(line, {"images_seen"}));
    if (!std::isfinite(seconds)) continue;
    metrics.push_back(line);
    times.push_back(seconds);
  }
  if (times.empty()) return {};
  const TimeUnit unit = unit_for(*std::ranges::max_element(times));
  for (double& time : times) time /= unit.seconds;
  auto charts = charts_of(metrics, times);
  for (auto& chart : charts) {
    chart.unit = std::string("against time, ") + unit.name;
    chart.x_unit = unit.name;
  }
  return charts;
}

}  // namespace ganscale::report
