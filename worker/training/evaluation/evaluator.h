#pragma once

#include <optional>

#include "metrics/evaluate.h"
#include "models/model.h"
#include "training/evaluation/real_statistics.h"

namespace ganscale::training {

/// Measures generators against a data set, all ranks together: each judges its part of the real and
/// of the generated images. The result does not depend on the number of ranks.
class Evaluator {
 public:
  /// Opens the feature network, before anything is trained. Throws ConfigError.
  Evaluator(const metrics::EvaluateConfig& config, RealImages real, at::Device device,
            comm::Group& group);

  /// Returns what the configured metrics say of a generator in eval mode; every rank calls it.
  ///
  /// Image j is made from the random numbers of image j of the seed (Stream::kEvaluate), and has
  /// the label of a record drawn at random, so that labels come as often as in the data; labels of
  /// a bundle without a generator are left out. It is rounded to bytes, as a file of it would be.
  /// Throws ConfigError for distances of each label of a generator without labels, before it works.
  metrics::Measurements evaluate(models::Generator& generator, std::uint64_t seed);

 private:
  /// The sets of generated images by their number.
  using FakeStats = std::map<std::int64_t, metrics::FeatureStats>;
  FakeStats empty_sets() const;
  void extract_fakes(models::Generator& generator, std::uint64_t seed, FakeStats& sets);

  metrics::EvaluateConfig config_;
  RealImages images_;
  at::Device device_;
  comm::Group& group_;
  metrics::OpenFeatureNet net_;
  std::optional<metrics::FeatureStats> real_;  // none before the first evaluation
};

}  // namespace ganscale::training
