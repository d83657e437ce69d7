#pragma once

#include <optional>

#include "metrics/evaluate.h"
#include "models/model.h"
#include "training/evaluation/real_statistics.h"

namespace ganscale::training {

/// Measures generators against a data set, all ranks together: each judges its part of the real and
/// of the generated pictures. The result does not depend on the number of ranks.
class Evaluator {
 public:
  /// Opens the feature network, before anything is trained. Throws ConfigError.
  Evaluator(const metrics::EvaluateConfig& config, RealPictures real, at::Device device,
            comm::Group& group);

  /// Returns what the configured metrics say of a generator in eval mode; every rank calls it.
  ///
  /// Picture j is made from the random numbers of image j of the seed (Stream::kEvaluate), and has
  /// the label of a record drawn at random, so that labels come as often as in the data; labels of
  /// a bundle without a generator are left out. It is rounded to bytes, as a file of it would be.
  /// Throws ConfigError for distances of each label of a generator without labels, before it works.
  metrics::Measurements evaluate(models::Generator& generator, std::uint64_t seed);

 private:
  /// The sets of generated pictures by their number.
  using FakeSets = std::map<std::int64_t, metrics::PictureSet>;
  FakeSets empty_sets() const;
  void judge_fakes(models::Generator& generator, std::uint64_t seed, FakeSets& sets);

  metrics::EvaluateConfig config_;
  RealPictures pictures_;
  at::Device device_;
  comm::Group& group_;
  metrics::OpenFeatureNet net_;
  std::optional<metrics::PictureSet> real_;  // none before the first evaluation
};

}  // namespace ganscale::training
