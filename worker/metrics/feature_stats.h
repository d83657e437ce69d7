#pragma once

#include <optional>
#include <vector>

#include "metrics/feature_net.h"
#include "metrics/inception_score.h"
#include "metrics/moments.h"
#include "tensors/named_tensors.h"

namespace ganscale::metrics {

/// What is to be kept of a set of images.
struct Needs {
  bool moments = false;
  bool features = false;  ///< every image's: memory grows with their number
  int splits = 0;         ///< of the inception score; 0: no logits
  bool operator==(const Needs&) const = default;
};

/// What a feature network says of a set of images: real ones or generated ones, gathered on all
/// ranks. Rank r of n adds the images r, r + n, r + 2 n, ... in this order.
class FeatureStats {
 public:
  /// image_count: of all ranks.
  FeatureStats(Needs needs, std::int64_t image_count, const OpenFeatureNet& net);
  /// Restores the moments and features that state() gave.
  FeatureStats(const NamedTensors& state, std::int64_t image_count);

  /// numbers: [N] int64 of these images; labels: [N] int64, undefined if they have none.
  void add(const Features& features, const at::Tensor& numbers, const at::Tensor& labels);
  /// Makes every rank's set that of all ranks; every rank calls it once, after its last add().
  void merge(comm::Group& group);

  std::int64_t image_count() const { return image_count_; }
  const Moments& moments() const { return *moments_; }
  const InceptionScore& inception_score() const { return *score_; }
  const at::Tensor& features() const { return features_; }  ///< [N, D] float32
  const at::Tensor& labels() const { return labels_; }      ///< [N] int64, -1 without labels

  /// The moments, features and labels, for a file.
  NamedTensors state() const;

 private:
  std::int64_t image_count_;
  std::optional<Moments> moments_;
  std::optional<InceptionScore> score_;
  bool keeps_features_ = false;
  std::vector<at::Tensor> own_features_;
  std::vector<at::Tensor> own_labels_;
  at::Tensor features_;
  at::Tensor labels_;
};

}  // namespace ganscale::metrics
