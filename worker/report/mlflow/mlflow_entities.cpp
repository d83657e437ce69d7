#include "report/mlflow/mlflow_entities.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/utf8.h"
#include "config/differences.h"
#include "report/log/line_values.h"

namespace ganscale::report {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLongestKey = 250;
constexpr std::size_t kLongestParam = 6000;
constexpr std::size_t kLongestTag = 5000;
constexpr const char* kStep = "images_seen";
constexpr const char* kTime = "unix_seconds";

std::string first_bytes(const std::string& text, std::size_t count) {
  return valid_utf8(text.substr(0, count));
}

/// MLflow takes letters, digits, and few other characters in a key.
std::string key_of(const std::string& name) {
  std::string key = name.substr(0, kLongestKey);
  std::ranges::replace_if(
      key,
      [](unsigned char c) {
        return std::isalnum(c) == 0 && std::string_view("_-. /").find(c) == std::string_view::npos;
      },
      '_');
  return key;
}

ordered_json entry(const std::string& key, const std::string& value, std::size_t longest_value) {
  return {{"key", key_of(key)}, {"value", first_bytes(value, longest_value)}};
}

void collect(const ordered_json& object, const std::string& path,
             std::vector<std::pair<std::string, double>>& metrics) {
  for (const auto& [name, value] : object.items()) {
    const std::string key = path + name;
    if (value.is_object()) collect(value, key + "/", metrics);
    if (value.is_number()) metrics.emplace_back(key_of(key), value.get<double>());
    if (value.is_null())
      metrics.emplace_back(key_of(key), std::numeric_limits<double>::quiet_NaN());
  }
}

/// Returns when a line was written, in milliseconds since 1970; `now_ms` if it does not say.
std::int64_t time_of(const ordered_json& line, std::int64_t now_ms) {
  const double seconds = number_in(line, kTime, std::numeric_limits<double>::quiet_NaN());
  return std::isnan(seconds) ? now_ms : std::llround(seconds * 1000);
}

/// JSON has no NaN; MLflow's servers read the word.
ordered_json json_of(double value) {
  if (std::isnan(value)) return "NaN";
  return value;
}

}  // namespace

std::vector<ordered_json> mlflow_params(const config::Node& root) {
  std::vector<ordered_json> lists;
  for (const auto& [key, value] : config::leaves_of(root)) {
    if (value.empty()) continue;
    if (lists.empty() || lists.back().size() == kMostMlflowParams)
      lists.push_back(ordered_json::array());
    lists.back().push_back(entry(key, value, kLongestParam));
  }
  return lists;
}

ordered_json mlflow_tags(const ordered_json& object) {
  ordered_json tags = ordered_json::array();
  for (const auto& [key, value] : object.items())
    tags.push_back(
        entry(key, value.is_string() ? value.get<std::string>() : value.dump(), kLongestTag));
  return tags;
}

std::vector<std::pair<std::string, double>> mlflow_metrics(const ordered_json& line) {
  std::vector<std::pair<std::string, double>> metrics;
  collect(line, "", metrics);
  std::erase_if(metrics,
                [](const auto& metric) { return metric.first == kStep || metric.first == kTime; });
  return metrics;
}

std::vector<MlflowBatch> mlflow_batches(const std::vector<ordered_json>& lines,
                                        std::int64_t now_ms) {
  std::vector<MlflowBatch> batches;
  for (const ordered_json& line : lines) {
    const auto step = integer_in(line, kStep, 0);
    const std::int64_t time_ms = time_of(line, now_ms);
    for (const auto& [key, value] : mlflow_metrics(line)) {
      if (batches.empty() || batches.back().metrics.size() == kMostMlflowMetrics)
        batches.push_back({.metrics = ordered_json::array()});
      batches.back().metrics.push_back(
          {{"key", key}, {"value", json_of(value)}, {"timestamp", time_ms}, {"step", step}});
    }
    if (!batches.empty()) batches.back().images_seen = step;
  }
  return batches;
}

}  // namespace ganscale::report
