#pragma once

#include <vector>

#include "comm/group/group.h"
#include "metrics/evaluate_config.h"
#include "models/contract/style_generator.h"

namespace ganscale::training {

/// What equivariance is measured with.
struct EquivarianceMeasurement {
  metrics::MetricName metric;  ///< Metric::kTranslation or kRotation
  std::uint64_t seed = 0;
  std::vector<std::int64_t> labels = {};  ///< to draw from, see labels_to_draw()
  models::Truncation truncation = {};     ///< of styles
};

/// Returns how well the images of a generator in eval mode follow motions of its input, in decibels:
/// translations by up to an eighth of the side, or rotations by any angle. All ranks call it and get
/// the same result, which does not depend on their number. Moves the generator's input transform and
/// puts it back.
///
/// Paper:  Karras et al. 2021, arXiv:2106.12423, Appendix E. Four images at a time share a motion.
///         Computed in float32.
/// Throws: ConfigError for images in which no pixel can be compared.
double equivariance(models::StyleGenerator& generator, const EquivarianceMeasurement& measurement,
                    comm::Group& group);

}  // namespace ganscale::training
