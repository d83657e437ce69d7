#include "training/evaluation/metrics_log.h"

#include <algorithm>

#include "files/append_line.h"
#include "report/log/line_values.h"
#include "report/log/stats_log.h"

namespace ganscale::training {
namespace {

std::int64_t images_of(const nlohmann::ordered_json& line) {
  return report::integer_in(line, "images_seen", 0);
}

}  // namespace

nlohmann::ordered_json to_json(const MetricsLine& line) {
  nlohmann::ordered_json json = {{"images_seen", line.images_seen},
                                 {"kimg", static_cast<double>(line.images_seen) / 1000}};
  if (line.training_seconds) json["training_seconds"] = *line.training_seconds;
  json["seconds"] = line.seconds;
  if (!line.measured.label_shares.empty()) json["labels"] = line.measured.label_shares;
  for (const auto& [name, value] : line.measured.values) json[name] = value;
  for (const auto& [name, values] : line.measured.by_label) json[name] = values;
  return json;
}

std::optional<double> first_value(const metrics::Measurements& measured,
                                  const std::string& prefix) {
  const auto found = measured.values.lower_bound(prefix);
  if (found == measured.values.end() || !found->first.starts_with(prefix)) return std::nullopt;
  return found->second;
}

std::optional<std::int64_t> newest_images_seen(const std::filesystem::path& file) {
  const auto lines = report::read_json_lines(file);
  if (lines.empty()) return std::nullopt;
  return images_of(lines.back());
}

bool has_values(const std::filesystem::path& file, std::int64_t images_seen,
                const std::vector<std::string>& names) {
  const auto lines = report::read_json_lines(file);
  return std::ranges::all_of(names, [&](const std::string& name) {
    return std::ranges::any_of(lines, [&](const auto& line) {
      return images_of(line) == images_seen && line.contains(name);
    });
  });
}

void append_if_newest(const std::filesystem::path& file, const MetricsLine& line) {
  if (newest_images_seen(file) > line.images_seen) return;
  files::append_line(file, report::with_time(to_json(line)).dump());
}

}  // namespace ganscale::training
