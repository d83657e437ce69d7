#pragma once

#include <vector>

#include "comm/group/group.h"
#include "metrics/evaluate_config.h"
#include "metrics/networks/perceptual_net.h"
#include "models/contract/style_generator.h"

namespace ganscale::training {

/// What a perceptual path length is measured with.
struct PathMeasurement {
  metrics::PathRule rule;
  std::int64_t path_count = 50'000;
  std::int64_t batch = 64;  ///< most paths at a time on a rank
  std::uint64_t seed = 0;
  std::vector<std::int64_t> labels = {};  ///< to draw from, see labels_to_draw()
  models::Truncation truncation = {};     ///< of styles
};

/// Returns the perceptual path length of a generator in eval mode: the mean perceptual distance of
/// images a small step apart, divided by the square of the step, without the shortest and longest
/// 1%. All ranks call it and get the same result, which does not depend on their number.
///
/// Paper:  Karras et al. 2019, arXiv:1812.04948, Section 4.1; Karras et al. 2020, arXiv:1912.04958,
///         Section 3, without the crop. Both images of a path have the same label and noise, drawn
///         again for each path. Computed in float32.
/// Throws: DataError if a distance is NaN or infinite.
double perceptual_path_length(models::Generator& generator, metrics::PerceptualNet& net,
                              const PathMeasurement& measurement, comm::Group& group);

}  // namespace ganscale::training
