#include "metrics/evaluate.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/log.h"
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
  const auto value = at::zeros({1}, at::kDouble);
  if (group.rank() == 0) {
    const auto real = sets.real.moments().gaussian(config.divisor);
    const auto fake = sets.fake.moments().gaussian(config.divisor);
    warn_if_deficient("real", real);
    warn_if_deficient("generated", fake);
    value.fill_(frechet_distance(real, fake));
  }
  group.broadcast(value, 0);
  return value.item<double>();
}

/// The distance of one label's images: NaN if there are fewer than two.
struct LabelDistance {
  double value = std::numeric_limits<double>::quiet_NaN();
  bool is_deficient = true;  ///< a covariance is not of full rank
};

LabelDistance frechet_of_label(const Sets& sets, std::int64_t label, Divisor divisor) {
  std::vector<Gaussian> gaussians;
  bool is_deficient = false;
  for (const FeatureStats* set : {&sets.real, &sets.fake}) {
    const auto rows = set->labels().eq(label).nonzero().squeeze(1);
    if (rows.size(0) < 2) return {};
    Moments moments(set->features().size(1));
    moments.add(set->features().index_select(0, rows));
    gaussians.push_back(moments.gaussian(divisor));
    is_deficient |= !rank_deficiency(gaussians.back()).empty();
  }
  return {frechet_distance(gaussians[0], gaussians[1]), is_deficient};
}

/// The labels are distributed over the ranks.
std::vector<double> class_frechet(const Sets& sets, Divisor divisor, comm::Group& group) {
  check(sets.label_count > 0, "per-class distances need labels");
  const auto values = at::zeros({2, sets.label_count}, at::kDouble);  // distances, deficiencies
  auto* value = values.mutable_data_ptr<double>();
  for (std::int64_t label = group.rank(); label < sets.label_count; label += group.size()) {
    const LabelDistance distance = frechet_of_label(sets, label, divisor);
    value[label] = distance.value;
    value[sets.label_count + label] = distance.is_deficient ? 1 : 0;
  }
  group.all_reduce_sum(values);
  const auto deficient = values[1].sum().item<std::int64_t>();
  if (deficient > 0 && group.rank() == 0) {
    log::warning(
        "Some labels have too few real or generated images for covariances of full rank, so their "
        "distances are biased: use more images per label than there are features",
        {{"labels", deficient}, {"features", sets.real.features().size(1)}});
  }
  return {value, value + sets.label_count};
}

double mean_of_finite(const std::vector<double>& values) {
  double sum = 0;
  int count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Needs needs_of_real(const MetricName& metric) {
  return {
      .moments = metric.metric == Metric::kFrechet,
      .features = metric.metric != Metric::kFrechet && metric.metric != Metric::kInceptionScore};
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
  throw ConfigError("too few images for a metric: " + metric.text + " needs " +
                    std::to_string(needed) + " real and as many generated images; there are " +
                    std::to_string(real_count) + " real and " + std::to_string(metric.image_count) +
                    " generated images");
}

void require_measurable(const MetricName& metric, const GeneratorTraits& generator) {
  const auto require = [&](bool holds, const std::string& why) {
    if (!holds) throw ConfigError("evaluate.metrics: " + why + ": " + metric.text);
  };
  require(generator.has_labels || metric.metric != Metric::kClassFrechet,
          "distances of each label need a model with labels, or scheme per_label");
  if (metric.metric != Metric::kPathLength) return;
  require(generator.has_styles || metric.path.is_between_latents,
          "paths between styles need a generator with styles; measure those between latents, as in "
          "ppl50k_zend");
  require(!generator.is_low_precision,
          "path lengths of a generator in low precision are those of its rounding; measure them "
          "with ganscale evaluate, which computes in float32");
}

std::vector<std::string> value_names(const MetricName& metric) {
  switch (metric.metric) {
    case Metric::kPrecisionRecall: return {metric.text + "_precision", metric.text + "_recall"};
    case Metric::kDensityCoverage: return {metric.text + "_density", metric.text + "_coverage"};
    default: return {metric.text};
  }
}

Needs both(const Needs& a, const Needs& b) {
  return {a.moments || b.moments, a.features || b.features, std::max(a.splits, b.splits)};
}

void measure(const MetricName& metric, const Sets& sets, const EvaluateConfig& config,
             comm::Group& group, Measurements& result) {
  const auto& name = metric.text;
  const auto add = [&](const char* suffix, double value) { result.values[name + suffix] = value; };
  const FeatureSets features{sets.real.features(), sets.fake.features(), metric.neighbors};
  switch (metric.metric) {
    case Metric::kFrechet: add("", frechet(sets, config, group)); break;
    case Metric::kClassFrechet: {
      const auto labels = class_frechet(sets, config.divisor, group);
      result.by_label[name + "_labels"] = labels;
      add("", mean_of_finite(labels));
      break;
    }
    case Metric::kInceptionScore: {
      const auto score = sets.fake.inception_score().score();
      add("", score.mean);
      add("_std", score.deviation);
      break;
    }
    case Metric::kKernel: {
      const Subsets subsets{.seed = sets.seed};
      const auto fewest = std::min(features.real.size(0), features.fake.size(0));
      if (fewest < subsets.size && group.rank() == 0) {
        log::warning(
            "There are fewer images than in a subset of the kernel distance, so its deviation is "
            "too small",
            {{"images", fewest}, {"subset", subsets.size}});
      }
      const auto distance = kernel_inception_distance(features.real, features.fake, subsets, group);
      add("", distance.mean);
      add("_std", distance.deviation);
      break;
    }
    case Metric::kPrecisionRecall: {
      const auto share = precision_recall(features, group);
      add("_precision", share.precision);
      add("_recall", share.recall);
      break;
    }
    case Metric::kDensityCoverage: {
      const auto share = density_coverage(features, group);
      add("_density", share.density);
      add("_coverage", share.coverage);
      break;
    }
    case Metric::kPathLength: check(false, "path lengths are not measured by features");
  }
}

}  // namespace ganscale::metrics
