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

/// What lies in a run folder, read but not judged. Every part but the configuration may be missing.
struct RunSummary {
  std::string name;  ///< of the folder
  std::string config_text;
  config::Node config;
  std::vector<nlohmann::ordered_json> ticks;    ///< lines of stats.jsonl
  std::vector<nlohmann::ordered_json> metrics;  ///< lines of metrics.jsonl
  std::vector<nlohmann::ordered_json> labels;   ///< labels.json of scheme per_label
  std::optional<std::filesystem::path> reals;
  std::vector<SampleGrid> samples;                      ///< in the order of images seen
  std::vector<checkpoint::CheckpointInfo> checkpoints;  ///< the oldest first
};

/// Reads a run folder. Throws DataError if it is none (no config.yaml), ConfigError if that is not
/// YAML.
RunSummary read_run(const std::filesystem::path& folder);

/// Returns the scalar at a dotted path of a configuration as text, a list in brackets; nothing if
/// there is no such key.
std::optional<std::string> config_value(const config::Node& config, const std::string& path);

/// Returns the name of the grid of fakes after so many images, as its checkpoint's:
/// fakes-004200.png, or fakes-000001.536.png between two thousands.
std::string sample_name(std::int64_t images_seen);

/// Returns the count of images of a name that sample_name() made, nothing for any other.
std::optional<std::int64_t> images_of_sample_name(const std::string& name);

}  // namespace ganscale::report
