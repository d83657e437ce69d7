#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "comm/backends/thread_group.h"
#include "metrics/feature_stats.h"

namespace ganscale::metrics {

/// Statistics of features on one axis and their labels; logits that are sure of class 0.
inline FeatureStats stats_of(const std::vector<float>& features,
                             const std::vector<std::int64_t>& labels) {
  const auto count = static_cast<std::int64_t>(features.size());
  const OpenFeatureNet net{.net = nullptr, .feature_count = 1, .class_count = 2, .sha256 = ""};
  FeatureStats stats({.moments = true, .features = true, .splits = 1}, count, net);
  const auto logits = at::tensor({50.0F, 0.0F}).expand({count, 2});
  stats.add({at::tensor(features).unsqueeze(1), logits}, at::arange(count),
            at::tensor(labels, at::kLong));
  stats.merge(*comm::make_single_group());
  return stats;
}

}  // namespace ganscale::metrics
