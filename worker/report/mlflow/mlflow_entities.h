#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "config/node.h"

/// What a run consists of for MLflow: parameters, tags and metrics, within the limits that its
/// servers set (https://mlflow.org/docs/latest/rest-api.html#log-batch).
namespace ganscale::report {

/// The elements of one request.
inline constexpr std::size_t kMostMlflowParams = 100;
inline constexpr std::size_t kMostMlflowMetrics = 1000;

/// Returns a configuration as lists of parameters, each of at most kMostMlflowParams: dotted keys
/// with their values as text. Leaves out empty values and truncates long ones.
std::vector<nlohmann::ordered_json> mlflow_params(const config::Node& root);

/// Returns the members of an object as tags; what is not text, as JSON.
nlohmann::ordered_json mlflow_tags(const nlohmann::ordered_json& object);

/// Returns the numbers of a line of stats.jsonl or metrics.jsonl with the paths of their keys:
/// {"loss": {"generator": 1.5}} has "loss/generator". null is NaN. Leaves out "images_seen", which
/// is the step, "unix_seconds", which is the time, texts, and lists, which have a number for each
/// label.
std::vector<std::pair<std::string, double>> mlflow_metrics(const nlohmann::ordered_json& line);

/// The metrics of one request.
struct MlflowBatch {
  nlohmann::ordered_json metrics;
  std::int64_t images_seen = -1;  ///< of the last line that ends in it; -1: none does
};

/// Returns the metrics of these lines in order, in batches of at most kMostMlflowMetrics.
/// now_ms: since 1970; the time of lines without "unix_seconds", of older versions.
std::vector<MlflowBatch> mlflow_batches(const std::vector<nlohmann::ordered_json>& lines,
                                        std::int64_t now_ms);

}  // namespace ganscale::report
