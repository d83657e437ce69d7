#pragma once

#include <map>
#include <string>
#include <vector>

#include "metrics/evaluate_config.h"
#include "metrics/feature_stats.h"

namespace ganscale::metrics {

/// What the metrics say.
struct Measurements {
  /// By name: "fid50k"; "is50k" and "kid50k" with "is50k_std" and "kid50k_std";
  /// "pr50k3_precision", "pr50k3_recall"; "dc50k5_density", "dc50k5_coverage"; "class_fid50k", the
  /// mean over the labels.
  std::map<std::string, double> values;
  /// "class_fid50k_labels": one a label, NaN where it has fewer than two images.
  std::map<std::string, std::vector<double>> by_label;
};

/// Returns what a metric needs of the real and of the generated images.
Needs needs_of_real(const MetricName& metric);
Needs needs_of_fake(const MetricName& metric, const EvaluateConfig& config);
/// Returns both needs as one.
Needs both(const Needs& a, const Needs& b);

/// The sets of one evaluation, merged over the ranks.
struct Sets {
  const FeatureStats& real;
  const FeatureStats& fake;
  std::int64_t label_count = 0;
  std::uint64_t seed = 0;  ///< of the random subsets
};

/// Throws ConfigError where a metric needs more generated or more real images than there are.
void require_enough(const MetricName& metric, std::int64_t real_count);

/// Throws ConfigError for per-class distances of images without labels.
void require_labels(const MetricName& metric, bool has_labels);

/// Returns the names of a metric's values that say how good a generator is: of pr and dc two, else
/// the metric's own.
std::vector<std::string> value_names(const MetricName& metric);

/// Measures one metric; all ranks call it and have the same result. The distances themselves are
/// computed on the CPU. Throws DataError for too few images.
void measure(const MetricName& metric, const Sets& sets, const EvaluateConfig& config,
             comm::Group& group, Measurements& result);

}  // namespace ganscale::metrics
