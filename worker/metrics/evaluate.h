#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "metrics/evaluate_config.h"
#include "metrics/feature_stats.h"

namespace ganscale::metrics {

/// The results of an evaluation.
struct Measurements {
  /// By name: "fid50k"; "is50k" and "kid50k" with "is50k_std" and "kid50k_std";
  /// "pr50k3_precision", "pr50k3_recall"; "dc50k5_density", "dc50k5_coverage"; "ppl50k_wend";
  /// "eqt50k_int".
  /// Of "fid50k_by_label" and "pr50k3_by_label_recall" the mean over the labels, each of which counts
  /// the same, and of "fid50k_by_label_min" and "pr50k3_by_label_recall_min" the minimum.
  std::map<std::string, double> values;
  /// "fid50k_labels", "pr50k3_recall_labels": a value per label, NaN if it has too few images.
  std::map<std::string, std::vector<double>> by_label;
  /// How often each label was generated: "data" or "balanced"; empty for a generator without labels.
  std::string label_shares = {};
};

/// Returns the name of a value of an average with another half-life: "fid50k_ema_2" for "fid50k".
std::string name_of_average(const std::string& name, double kimg);

/// Returns the measurements of an average with another half-life, under such names.
Measurements of_average(const Measurements& measured, double kimg);

/// Returns whether a metric measures how images follow a motion of the generator's input.
inline bool compares_motions(const MetricName& metric) {
  return metric.metric == Metric::kTranslation || metric.metric == Metric::kRotation;
}

/// Returns whether a metric compares features of images: all but path lengths and equivariance do.
inline bool compares_features(const MetricName& metric) {
  return metric.metric != Metric::kPathLength && !compares_motions(metric);
}

/// Return what a metric that compares features needs of the real and of the generated images.
Needs needs_of_real(const MetricName& metric);
Needs needs_of_fake(const MetricName& metric, const EvaluateConfig& config);
/// Returns the union of two needs.
Needs both(const Needs& a, const Needs& b);

/// The statistics of one evaluation, merged over the ranks.
struct Sets {
  const FeatureStats& real;
  const FeatureStats& fake;
  std::int64_t label_count = 0;
  std::uint64_t seed = 0;  ///< of the random subsets
};

/// Throws ConfigError if a metric needs more generated or real images than there are.
void require_enough(const MetricName& metric, std::int64_t real_count);

/// What a metric may need of a generator.
struct GeneratorTraits {
  bool has_labels = false;
  bool has_styles = false;
  bool moves_images = false;      ///< by an input transform
  bool is_low_precision = false;  ///< computes in float16 or bfloat16
};

/// Throws ConfigError if a metric within labels needs more images of a label than there are: as many
/// as it has neighbors, and one more, both real and, on average, generated.
///
/// real_counts: of each label, 0 if it is not generated; empty for data without labels. A label of 0
/// does not count.
void require_enough_in_labels(const MetricName& metric,
                              const std::vector<std::int64_t>& real_counts, LabelShares shares);

/// Throws ConfigError if a metric can't measure such a generator: those within labels need labels,
/// path lengths float32, and those between styles a generator with styles, equivariance float32 and
/// a generator that moves its images.
void require_measurable(const MetricName& metric, const GeneratorTraits& generator);

/// Calls `require` for each metric, and puts file and line of evaluate.metrics in front of the
/// ConfigError that it throws.
void require_of_each(const EvaluateConfig& config,
                     const std::function<void(const MetricName&)>& require);

/// Throws ConfigError if a metric needs a network that is not set, of features or for path lengths.
void require_networks(const EvaluateConfig& config);

/// Returns the names of a metric's values that measure quality: two for pr and dc, otherwise the
/// metric's own name.
std::vector<std::string> value_names(const MetricName& metric);

/// Computes one metric that compares features. All ranks call it and get the same result. Distances
/// are computed on the CPU. Throws DataError for too few images.
void measure(const MetricName& metric, const Sets& sets, const EvaluateConfig& config,
             comm::Group& group, Measurements& result);

}  // namespace ganscale::metrics
