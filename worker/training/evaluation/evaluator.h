#pragma once

#include <map>

#include "metrics/evaluate.h"
#include "models/contract/style_generator.h"
#include "training/evaluation/real_statistics.h"

namespace ganscale::training {

/// What generated images are drawn from.
struct Draws {
  std::uint64_t seed = 0;
  std::vector<std::int64_t> labels = {};  ///< see labels_to_draw()
  models::SampleTruncation truncation = {};
};

/// Evaluates generators against a dataset on all ranks, each of which processes its part of the
/// real and generated images. The result does not depend on the number of ranks.
class Evaluator {
 public:
  /// Opens the networks that the metrics need. All ranks call it. Throws ConfigError, also if the
  /// ranks have different networks.
  ///
  /// made_labels: those of which the generators make images; empty: all of the data.
  Evaluator(const metrics::EvaluateConfig& config, RealImages real, at::Device device,
            comm::Group& group, const std::vector<std::int64_t>& made_labels = {});

  /// Returns the configured metrics of a generator in eval mode. All ranks call it.
  ///
  /// Image j uses the random numbers of image j of the seed (Stream::kEvaluate), also for the noise
  /// of a generator with styles, and has the label of a random record, so that labels are as
  /// frequent as in the data, or a random label (EvaluateConfig::labels), without labels of a
  /// bundle that have no generator. Images are rounded to bytes, as in files. Throws ConfigError
  /// for metrics that can't measure the generator, before it starts.
  ///
  /// truncation: of styles or latents, as the generator has it; paths through latents have none.
  metrics::Measurements evaluate(models::Generator& generator, std::uint64_t seed,
                                 const models::SampleTruncation& truncation = {});

 private:
  /// The statistics of generated images, by number of images.
  using FakeStats = std::map<std::int64_t, metrics::FeatureStats>;
  FakeStats empty_sets() const;
  /// Returns the labels from which generated images draw theirs.
  std::vector<std::int64_t> drawn_labels(const models::Generator& generator) const;
  void extract_reals();
  void extract_fakes(models::Generator& generator, const Draws& draws, FakeStats& sets);
  /// Returns a metric of the generator's own images, which are compared with each other.
  double measure_generator(const metrics::MetricName& metric, models::Generator& generator,
                           const Draws& draws);

  metrics::EvaluateConfig config_;
  RealImages images_;
  at::Device device_;
  comm::Group& group_;
  metrics::OpenFeatureNet net_;                // if a metric compares features
  metrics::OpenPerceptualNet perceptual_net_;  // if one is a path length
  std::map<std::int64_t, metrics::FeatureStats>
      real_;  // by their number, from the first evaluation
};

}  // namespace ganscale::training
