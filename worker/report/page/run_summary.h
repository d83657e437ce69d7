#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/reader.h"
#include "config/node.h"

namespace ganscale::report {

/// A grid of samples of a run.
struct SampleGrid {
  std::int64_t images_seen = 0;
  std::filesystem::path file;
};

/// The contents of a run folder. Everything but the configuration may be missing.
struct RunSummary {
  std::string name;  ///< of the folder
  std::string config_text;
  config::Node config;
  std::vector<nlohmann::ordered_json> starts;   ///< lines of provenance.jsonl
  std::string error;                            ///< that ended the latest start; empty: none did
  std::vector<nlohmann::ordered_json> ticks;    ///< lines of stats.jsonl
  std::vector<nlohmann::ordered_json> metrics;  ///< lines of metrics.jsonl
  std::vector<nlohmann::ordered_json> labels;   ///< labels.json of scheme per_label
  std::optional<std::filesystem::path> reals;
  std::vector<SampleGrid> samples;       ///< in order of images seen
  std::vector<std::string> label_names;  ///< by number, of a conditional model; empty if unknown
  std::vector<std::string> row_labels;   ///< of all grids; empty unless each row has one
  std::vector<checkpoint::CheckpointInfo> checkpoints;  ///< oldest first
};

/// Reads a run folder. Throws DataError if it has no config.yaml, ConfigError if that is not YAML.
RunSummary read_run(const std::filesystem::path& folder);

/// Returns the value at a dotted path as text, lists in brackets; nothing if there is no such key.
std::optional<std::string> config_value(const config::Node& config, const std::string& path);

}  // namespace ganscale::report
