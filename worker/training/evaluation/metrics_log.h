#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "metrics/evaluate.h"

namespace ganscale::training {

/// An evaluation, as a line of metrics.jsonl.
struct MetricsLine {
  std::int64_t images_seen = 0;
  double seconds = 0;  ///< that the evaluation took
  metrics::Measurements measured;
  /// Since image 0, with evaluations and pauses, over all restarts; absent if unknown.
  std::optional<double> training_seconds = {};
};

/// Returns {"images_seen", "kimg", "training_seconds", "seconds", "labels", metrics...}. NaN becomes
/// null.
nlohmann::ordered_json to_json(const MetricsLine& line);

/// Returns the first metric whose name starts with `prefix`, such as "fid", or nothing if there is
/// none.
std::optional<double> first_value(const metrics::Measurements& measured, const std::string& prefix);

/// Returns the images seen of the newest line of metrics.jsonl, or nothing if there is none.
std::optional<std::int64_t> newest_images_seen(const std::filesystem::path& file);

/// Returns whether metrics.jsonl has all of these values after so many images, in one line or
/// several.
bool has_values(const std::filesystem::path& file, std::int64_t images_seen,
                const std::vector<std::string>& names);

/// Appends a line to metrics.jsonl, with the time of day, unless the file has one with more images.
/// Throws OutputError.
void append_if_newest(const std::filesystem::path& file, const MetricsLine& line);

}  // namespace ganscale::training
