#pragma once

#include <optional>
#include <vector>

#include "metrics/distances/inception_score.h"
#include "metrics/distances/moments.h"
#include "metrics/networks/feature_net.h"
#include "tensors/named_tensors.h"

namespace ganscale::metrics {

/// What to keep of a set of images.
struct Needs {
  bool moments = false;
  bool features = false;  ///< of all images: memory grows with their number
  int splits = 0;         ///< of the inception score; 0: no logits
  bool operator==(const Needs&) const = default;
};

/// Feature statistics of a set of real or generated images, gathered from all ranks. Rank r of n
/// adds the images r, r + n, r + 2 n, ... in this order.
class FeatureStats {
 public:
  /// image_count: of all ranks.
  FeatureStats(Needs needs, std::int64_t image_count, const OpenFeatureNet& net);
  /// Restores moments and features from state().
  FeatureStats(const NamedTensors& state, std::int64_t image_count);

  /// Returns the outputs of the network that add() uses.
  WantedOutputs wanted() const {
    return {.features = moments_ || keeps_features_, .logits = score_.has_value()};
  }
  /// numbers: [N] int64, of these images; labels: [N] int64, undefined if there are none.
  void add(const Features& features, const at::Tensor& numbers, const at::Tensor& labels);
  /// Merges the statistics of all ranks. All ranks call it once, after the last add().
  void merge(comm::Group& group);

  std::int64_t image_count() const { return image_count_; }
  const Moments& moments() const { return *moments_; }
  const InceptionScore& inception_score() const { return *score_; }
  const at::Tensor& features() const { return features_; }  ///< [N, D] float32
  const at::Tensor& labels() const { return labels_; }      ///< [N] int64, -1 without labels

  /// Returns moments, features and labels, to be stored in a file.
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
