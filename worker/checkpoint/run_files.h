#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The names of what the folder of a run has (docs/operations.md): of those that write it, and of
/// those that only read it, such as the report.
namespace ganscale::checkpoint::run_files {

inline constexpr std::string_view kConfig = "config.yaml";
inline constexpr std::string_view kProvenance = "provenance.jsonl";
inline constexpr std::string_view kLog = "log.jsonl";
inline constexpr std::string_view kStats = "stats.jsonl";
inline constexpr std::string_view kMetrics = "metrics.jsonl";
inline constexpr std::string_view kMlflow = "mlflow.json";
inline constexpr std::string_view kReport = "report.html";
inline constexpr std::string_view kProfile = "profile.json";
inline constexpr std::string_view kTrace = "trace.json";
inline constexpr std::string_view kLabelsTable = "labels.json";
inline constexpr std::string_view kBundle = "bundle.safetensors";
inline constexpr std::string_view kLock = "lock";
inline constexpr std::string_view kCheckpoints = "checkpoints";  ///< a folder, as the next two
inline constexpr std::string_view kEvents = "events";
inline constexpr std::string_view kSamples = "samples";
inline constexpr std::string_view kReals = "reals.png";  ///< among the samples

/// Returns the name among the samples of the grid of fakes after `images_seen` images, numbered like
/// checkpoints: fakes-004200.png, or fakes-000001.536.png between multiples of 1000.
std::string sample_name(std::int64_t images_seen);

/// Returns the number of images in a name from sample_name(), or nothing for any other name.
std::optional<std::int64_t> images_of_sample_name(std::string_view name);

}  // namespace ganscale::checkpoint::run_files
