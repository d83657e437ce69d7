#include "report/page/run_summary.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "base/error.h"
#include "checkpoint/run_files.h"
#include "config/differences.h"
#include "config/units.h"
#include "files/atomic_file.h"
#include "report/log/line_values.h"
#include "report/log/stats_log.h"
#include "report/media/grid_labels.h"

namespace ganscale::report {
namespace {

namespace run_files = checkpoint::run_files;

const config::Node* find(const config::Node& node, const std::string& key) {
  if (node.map() == nullptr) return nullptr;
  for (const auto& [name, value] : *node.map()) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::vector<nlohmann::ordered_json> read_labels(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  auto table = parse_json(files::read_file(file));
  std::vector<nlohmann::ordered_json> labels;
  if (!table.is_array()) return labels;
  for (auto& label : table) {
    if (label.is_object()) labels.push_back(std::move(label));
  }
  return labels;
}

/// Returns the error with which the log ends. A start that continues after one logs what it does.
std::string last_error(const std::filesystem::path& log) {
  std::string error;
  for (const auto& line : read_json_lines(log)) {
    const auto level = text_in(line, "level");
    if (level == "info") error.clear();
    if (level == "error") error = text_in(line, "message");
  }
  return error;
}

std::vector<SampleGrid> list_samples(const std::filesystem::path& folder) {
  std::vector<SampleGrid> samples;
  if (!std::filesystem::is_directory(folder)) return samples;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto images = run_files::images_of_sample_name(entry.path().filename().string());
    if (images) samples.push_back({*images, entry.path()});
  }
  std::ranges::sort(samples, {}, &SampleGrid::images_seen);
  return samples;
}

/// Returns the names of the labels that the newest readable checkpoint has; empty without any.
std::vector<std::string> label_names(const std::vector<checkpoint::CheckpointInfo>& checkpoints) {
  for (const auto& info : checkpoints | std::views::reverse) {
    if (!info.defect.empty()) continue;
    try {
      return checkpoint::read_manifest(info.folder)
          .state.value("label_names", std::vector<std::string>{});
    } catch (const DataError&) {  // removed meanwhile
    } catch (const nlohmann::json::exception&) {
    }
  }
  return {};
}

std::vector<std::string> row_labels(const config::Node& config,
                                    const std::vector<std::string>& names) {
  const auto number = [&](const char* key) {
    return std::llround(config::parse_number(config_value(config, key).value_or("")).value_or(0));
  };
  constexpr std::int64_t kMost = 64;  // as a run may have
  const std::int64_t rows = number("training.grid_rows");
  const std::int64_t columns = number("training.grid_columns");
  if (rows > kMost || columns < 1 || columns > kMost) return {};
  if (names.empty() || std::ssize(names) > rows) return {};
  const auto labels = grid_labels(rows * columns, columns, std::ssize(names));
  std::vector<std::string> result;
  for (std::int64_t row = 0; row < rows; ++row) result.push_back(names[labels[row * columns]]);
  return result;
}

}  // namespace

RunSummary read_run(const std::filesystem::path& folder) {
  const auto config_file = folder / run_files::kConfig;
  if (!std::filesystem::exists(config_file)) {
    throw DataError("not the folder of a run, it has no config.yaml: " + folder.string());
  }
  RunSummary run;
  run.name = std::filesystem::canonical(folder).filename().string();
  run.config_text = files::read_file(config_file);
  run.config = config::parse_yaml(run.config_text, config_file.string());
  run.starts = read_json_lines(folder / run_files::kProvenance);
  run.error = last_error(folder / run_files::kLog);
  run.ticks = read_json_lines(folder / run_files::kStats);
  run.metrics = read_json_lines(folder / run_files::kMetrics);
  run.labels = read_labels(folder / run_files::kLabelsTable);
  const auto reals = folder / run_files::kSamples / run_files::kReals;
  if (std::filesystem::exists(reals)) run.reals = reals;
  run.samples = list_samples(folder / run_files::kSamples);
  run.checkpoints = checkpoint::list_checkpoints(folder);
  run.label_names = label_names(run.checkpoints);
  run.row_labels = row_labels(run.config, run.label_names);
  return run;
}

std::optional<std::string> config_value(const config::Node& config, const std::string& path) {
  const config::Node* node = &config;
  for (std::size_t begin = 0; node != nullptr && begin <= path.size();) {
    const auto end = std::min(path.find('.', begin), path.size());
    node = find(*node, path.substr(begin, end - begin));
    begin = end + 1;
  }
  if (node == nullptr) return std::nullopt;
  return config::text_of(*node);
}

}  // namespace ganscale::report
