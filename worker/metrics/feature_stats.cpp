#include "metrics/feature_stats.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include "base/error.h"

namespace ganscale::metrics {
namespace {

/// Gathers the rows of all ranks in image order: row j of rank r is image r + j * size.
at::Tensor gather_in_turn(comm::Group& group, const at::Tensor& rows, std::int64_t total) {
  const auto rows_a_rank = (total + group.size() - 1) / group.size();
  auto shape = rows.sizes().vec();
  shape[0] = rows_a_rank;
  const auto padded = at::zeros(shape, rows.options());
  padded.narrow(0, 0, rows.size(0)).copy_(rows);
  return group.all_gather(padded).transpose(0, 1).flatten(0, 1).narrow(0, 0, total).contiguous();
}

}  // namespace

FeatureStats::FeatureStats(Needs needs, std::int64_t image_count, const OpenFeatureNet& net)
    : image_count_(image_count), keeps_features_(needs.features) {
  if (needs.moments) moments_.emplace(net.feature_count);
  if (needs.splits > 0) {
    if (net.class_count == 0) {
      throw ConfigError(
          "the inception score needs a feature network that returns logits, but "
          "evaluate.feature_net returns only features");
    }
    if (needs.splits > image_count) {
      throw ConfigError("too few images for the inception score: " + std::to_string(image_count) +
                        " in " + std::to_string(needs.splits) +
                        " splits; generate more, or lower evaluate.splits");
    }
    score_.emplace(net.class_count, image_count, needs.splits);
  }
  if (keeps_features_) {
    own_features_.push_back(at::zeros({0, net.feature_count}));
    own_labels_.push_back(at::zeros({0}, at::kLong));
  }
}

FeatureStats::FeatureStats(const NamedTensors& state, std::int64_t image_count)
    : image_count_(image_count) {
  if (state.contains("mean"))
    moments_.emplace(image_count, state.at("mean"), state.at("deviations"));
  if (!state.contains("features")) return;
  features_ = state.at("features");
  labels_ = state.at("labels");
}

void FeatureStats::add(const Features& features, const at::Tensor& numbers,
                       const at::Tensor& labels) {
  if (moments_) moments_->add(features.features);
  if (score_) score_->add(features.logits, numbers);
  if (!keeps_features_) return;
  own_features_.push_back(features.features.cpu());
  own_labels_.push_back(labels.defined() ? labels.cpu() : at::full(numbers.sizes(), -1, at::kLong));
}

void FeatureStats::merge(comm::Group& group) {
  if (moments_) moments_->merge(group);
  if (score_) score_->merge(group);
  if (!keeps_features_) return;
  features_ = gather_in_turn(group, at::cat(own_features_), image_count_);
  labels_ = gather_in_turn(group, at::cat(own_labels_), image_count_);
  own_features_.clear();
  own_labels_.clear();
}

NamedTensors FeatureStats::state() const {
  NamedTensors result;
  if (moments_) {
    result.emplace("mean", moments_->mean());
    result.emplace("deviations", moments_->deviations());
  }
  if (features_.defined()) {
    result.emplace("features", features_);
    result.emplace("labels", labels_);
  }
  return result;
}

}  // namespace ganscale::metrics
