#include "metrics/by_label.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/error.h"
#include "base/finite_values.h"
#include "base/log.h"
#include "comm/backends/thread_group.h"
#include "metrics/distances/frechet_distance.h"
#include "metrics/distances/moments.h"
#include "metrics/distances/precision_recall.h"

namespace ganscale::metrics {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// The real and generated images of one label.
struct LabelImages {
  at::Tensor real;  // [N, D]
  at::Tensor fake;  // [M, D]

  std::int64_t fewer() const { return std::min(real.size(0), fake.size(0)); }
  /// Labels without reals or without fakes are not in the data, or not generated.
  bool has_too_few(std::int64_t needed) const { return fewer() > 0 && fewer() <= needed; }
};

LabelImages images_of(const Sets& sets, std::int64_t label) {
  const auto rows = [&](const FeatureStats& set) {
    return set.features().index_select(0, set.labels().eq(label).nonzero().squeeze(1));
  };
  return {rows(sets.real), rows(sets.fake)};
}

Gaussian gaussian_of(const at::Tensor& features, Divisor divisor) {
  Moments moments(features.size(1));
  moments.add(features);
  return moments.gaussian(divisor);
}

/// Returns the metric's values of one label, NaN for too few images.
std::vector<double> values_of(const MetricName& metric, const LabelImages& images,
                              Divisor divisor) {
  const auto names = value_names(metric);
  if (images.fewer() < std::max(2, metric.neighbors + 1)) {
    return std::vector<double>(names.size(), kNothing);
  }
  const auto alone = comm::make_single_group();
  const FeatureSets features{images.real, images.fake, metric.neighbors};
  switch (metric.metric) {
    case Metric::kPrecisionRecall: {
      const auto share = precision_recall(features, *alone);
      return {share.precision, share.recall};
    }
    case Metric::kDensityCoverage: {
      const auto share = density_coverage(features, *alone);
      return {share.density, share.coverage};
    }
    default:
      return {
          frechet_distance(gaussian_of(images.real, divisor), gaussian_of(images.fake, divisor))};
  }
}

void warn_of_few_images(const MetricName& metric, std::int64_t deficient, std::int64_t features) {
  if (deficient == 0) return;
  if (metric.metric == Metric::kFrechet) {
    log::warning(
        "Some labels have too few real or generated images for covariances of full rank, so their "
        "distances are biased: use more images per label than there are features",
        {{"labels", deficient}, {"features", features}});
    return;
  }
  log::warning("Some labels have too few real or generated images for their neighbors",
               {{"metric", metric.text}, {"labels", deficient}, {"neighbors", metric.neighbors}});
}

/// Adds the values of all labels, and their mean and minimum.
///
/// suffix: "" or of one of the metric's values, such as "_recall".
void add(const MetricName& metric, std::string_view suffix, const std::vector<double>& values,
         Measurements& result) {
  const FiniteValues finite(values);
  const std::string name = metric.text + std::string(suffix);
  result.values[name] = finite.mean;
  result.values[name + "_min"] = finite.minimum;
  const auto base = metric.text.substr(0, metric.text.size() - kByLabel.size());
  result.by_label[base + std::string(suffix) + "_labels"] = values;
}

}  // namespace

void measure_by_label(const MetricName& metric, const Sets& sets, Divisor divisor,
                      comm::Group& group, Measurements& result) {
  check(sets.label_count > 0, "comparisons within labels need labels");
  const auto names = value_names(metric);
  const auto kinds = static_cast<std::int64_t>(names.size());
  const auto table = at::zeros({kinds + 1, sets.label_count}, at::kDouble);  // values, deficiencies
  const auto feature_count = sets.real.features().size(1);
  const auto needed = metric.metric == Metric::kFrechet ? feature_count : metric.neighbors;
  auto* cell = table.mutable_data_ptr<double>();
  for (std::int64_t label = group.rank(); label < sets.label_count; label += group.size()) {
    const auto images = images_of(sets, label);
    const auto values = values_of(metric, images, divisor);
    for (std::int64_t kind = 0; kind < kinds; ++kind) {
      cell[kind * sets.label_count + label] = values[static_cast<std::size_t>(kind)];
    }
    cell[kinds * sets.label_count + label] = images.has_too_few(needed) ? 1 : 0;
  }
  group.all_reduce_sum(table);
  if (group.rank() == 0) {
    warn_of_few_images(metric, table[kinds].sum().item<std::int64_t>(), feature_count);
  }
  for (std::int64_t kind = 0; kind < kinds; ++kind) {
    const double* row = cell + kind * sets.label_count;
    const auto suffix = names[static_cast<std::size_t>(kind)].substr(metric.text.size());
    add(metric, suffix, {row, row + sets.label_count}, result);
  }
}

}  // namespace ganscale::metrics
