#include "metrics/evaluate.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/error.h"
#include "base/log.h"
#include "comm/collectives/numbers.h"
#include "config/units.h"
#include "metrics/by_label.h"
#include "metrics/distances/frechet_distance.h"
#include "metrics/distances/kernel_distance.h"
#include "metrics/distances/precision_recall.h"

namespace ganscale::metrics {
namespace {

void warn_if_deficient(const char* which, const Gaussian& gaussian) {
  const auto why = rank_deficiency(gaussian);
  if (!why.empty()) {
    log::warning(why, {{"images", which}});
    return;
  }
  const auto zeros = zero_eigenvalue_count(gaussian);
  if (zeros == 0) return;
  log::warning(
      "Some features are constant or depend on others; the distance is exact, but says nothing "
      "about them",
      {{"images", which}, {"zero_eigenvalues", zeros}, {"features", gaussian.mean.size(0)}});
}

double frechet(const Sets& sets, const EvaluateConfig& config, comm::Group& group) {
  double distance = 0;
  if (group.rank() == 0) {
    const auto real = sets.real.moments().gaussian(config.divisor);
    const auto fake = sets.fake.moments().gaussian(config.divisor);
    warn_if_deficient("real", real);
    warn_if_deficient("generated", fake);
    distance = frechet_distance(real, fake);
  }
  comm::broadcast_from_rank_0(group, {&distance});
  return distance;
}

}  // namespace

Needs needs_of_real(const MetricName& metric) {
  const bool needs_moments = metric.metric == Metric::kFrechet && !metric.is_by_label;
  return {.moments = needs_moments,
          .features = !needs_moments && metric.metric != Metric::kInceptionScore};
}

Needs needs_of_fake(const MetricName& metric, const EvaluateConfig& config) {
  Needs needs = needs_of_real(metric);
  if (metric.metric == Metric::kInceptionScore) needs.splits = config.splits;
  return needs;
}

void require_enough(const MetricName& metric, std::int64_t real_count) {
  const auto needed = std::max(2, metric.neighbors + 1);
  const auto there = std::min(metric.image_count, real_count);
  const bool needs_reals = compares_features(metric) && metric.metric != Metric::kInceptionScore;
  if (!needs_reals || there >= needed) return;
  throw ConfigError("evaluate.metrics: " + metric.text + " needs " + std::to_string(needed) +
                    " real and as many generated images; there are " + std::to_string(real_count) +
                    " real and " + std::to_string(metric.image_count) + " generated images");
}

void require_enough_in_labels(const MetricName& metric,
                              const std::vector<std::int64_t>& real_counts, LabelShares shares) {
  if (!metric.is_by_label) return;
  const std::string key = "evaluate.metrics: " + metric.text;
  const auto label_count = std::ranges::count_if(real_counts, [](auto count) { return count > 0; });
  if (label_count == 0) {
    throw ConfigError(key + " compares images within each label, but the dataset has no " +
                      (real_counts.empty() ? "labels" : "image of a label that is generated"));
  }
  if (metric.neighbors == 0) return;
  const auto total = std::accumulate(real_counts.begin(), real_counts.end(), std::int64_t{0});
  for (std::size_t label = 0; label < real_counts.size(); ++label) {
    const std::int64_t real = real_counts[label];
    if (real == 0) continue;
    const std::int64_t fake = shares == LabelShares::kBalanced ? metric.image_count / label_count
                                                               : metric.image_count * real / total;
    if (std::min(real, fake) > metric.neighbors) continue;
    throw ConfigError(key + " needs " + std::to_string(metric.neighbors + 1) +
                      " real and as many generated images of each label; label " +
                      std::to_string(label) + " has " + std::to_string(real) + " and about " +
                      std::to_string(fake) + "; generate more images, or use fewer neighbors");
  }
}

void require_measurable(const MetricName& metric, const GeneratorTraits& generator) {
  const auto require = [&](bool holds, const std::string& why) {
    if (!holds) throw ConfigError("evaluate.metrics: " + why + ": " + metric.text);
  };
  require(generator.has_labels || !metric.is_by_label,
          "comparing images within each label needs a model with labels, or scheme per_label");
  if (compares_features(metric)) return;
  require(generator.moves_images || !compares_motions(metric),
          "equivariance needs a generator whose images move as a whole, stylegan3");
  require(generator.has_styles || compares_motions(metric) || metric.path.is_between_latents,
          "paths between styles need a generator with styles; measure paths between latents, as in "
          "ppl50k_zend");
  require(
      !generator.is_low_precision,
      "a generator in low precision would be measured with its rounding; use ganscale evaluate, "
      "which computes in float32");
}

void require_of_each(const EvaluateConfig& config,
                     const std::function<void(const MetricName&)>& require) {
  try {
    for (const MetricName& metric : config.metrics) require(metric);
  } catch (const ConfigError& error) {
    throw ConfigError(config.metrics_location.text() + ": " + error.what());
  }
}

void require_networks(const EvaluateConfig& config) {
  const auto require = [&](bool holds, const MetricName& metric, const char* key) {
    if (holds) return;
    throw ConfigError("evaluate.metrics: " + metric.text + " needs a network, but " + key +
                      " is not set; name its file, as docs/operations.md explains");
  };
  require_of_each(config, [&](const MetricName& metric) {
    require(!config.feature_net.file.empty() || !compares_features(metric), metric,
            "evaluate.feature_net");
    require(!config.perceptual_net.file.empty() || metric.metric != Metric::kPathLength, metric,
            "evaluate.perceptual_net");
  });
}

std::vector<std::string> value_names(const MetricName& metric) {
  switch (metric.metric) {
    case Metric::kPrecisionRecall: return {metric.text + "_precision", metric.text + "_recall"};
    case Metric::kDensityCoverage: return {metric.text + "_density", metric.text + "_coverage"};
    default: return {metric.text};
  }
}

std::string name_of_average(const std::string& name, double kimg) {
  return name + "_ema_" + config::format_number(kimg);
}

Measurements of_average(const Measurements& measured, double kimg) {
  Measurements renamed{.values = {}, .by_label = {}, .label_shares = measured.label_shares};
  for (const auto& [name, value] : measured.values)
    renamed.values[name_of_average(name, kimg)] = value;
  for (const auto& [name, values] : measured.by_label)
    renamed.by_label[name_of_average(name, kimg)] = values;
  return renamed;
}

Needs both(const Needs& a, const Needs& b) {
  return {a.moments || b.moments, a.features || b.features, std::max(a.splits, b.splits)};
}

namespace {

void warn_if_fewer(const FeatureSets& features, const Subsets& subsets, comm::Group& group) {
  const auto fewest = std::min(features.real.size(0), features.fake.size(0));
  if (fewest >= subsets.size || group.rank() != 0) return;
  log::warning(
      "There are fewer images than in a subset of the kernel distance, so its deviation is too "
      "small",
      {{"images", fewest}, {"subset", subsets.size}});
}

/// By what follows the metric's name.
std::map<std::string, double> values_by_suffix(const MetricName& metric, const Sets& sets,
                                               const EvaluateConfig& config, comm::Group& group) {
  const FeatureSets features{sets.real.features(), sets.fake.features(), metric.neighbors};
  const auto with_deviation = [](const MeanAndDeviation& value) {
    return std::map<std::string, double>{{"", value.mean}, {"_std", value.deviation}};
  };
  switch (metric.metric) {
    case Metric::kFrechet: return {{"", frechet(sets, config, group)}};
    case Metric::kInceptionScore: return with_deviation(sets.fake.inception_score().score());
    case Metric::kKernel: {
      const Subsets subsets{.seed = sets.seed};
      warn_if_fewer(features, subsets, group);
      return with_deviation(
          kernel_inception_distance(features.real, features.fake, subsets, group));
    }
    case Metric::kPrecisionRecall: {
      const auto share = precision_recall(features, group);
      return {{"_precision", share.precision}, {"_recall", share.recall}};
    }
    case Metric::kDensityCoverage: {
      const auto share = density_coverage(features, group);
      return {{"_density", share.density}, {"_coverage", share.coverage}};
    }
    case Metric::kPathLength:
    case Metric::kTranslation:
    case Metric::kRotation: break;
  }
  check(false, "this metric is not measured by features");
  return {};
}

}  // namespace

void measure(const MetricName& metric, const Sets& sets, const EvaluateConfig& config,
             comm::Group& group, Measurements& result) {
  if (metric.is_by_label) {
    measure_by_label(metric, sets, config.divisor, group, result);
    return;
  }
  for (const auto& [suffix, value] : values_by_suffix(metric, sets, config, group)) {
    result.values[metric.text + suffix] = value;
  }
}

}  // namespace ganscale::metrics
