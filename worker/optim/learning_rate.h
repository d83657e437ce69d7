#pragma once

#include <cstdint>
#include <string>

#include "config/section.h"

namespace ganscale::optim {

/// How a learning rate changes with the images seen.
struct LearningRateSchedule {
  std::string name = "constant";  ///< constant, linear, cosine or step
  double warmup_kimg = 0;         ///< rises linearly from 0 over this time
  double final_fraction = 0;      ///< linear, cosine: what is left of the rate at the end
  double step_kimg = 1000;        ///< step: time between two drops
  double step_factor = 0.5;       ///< step: what a drop leaves
};

/// Reads `schedule`. Throws ConfigError.
LearningRateSchedule parse_learning_rate_schedule(config::Section in);

/// Returns the learning rate after `images_seen` of `total_images` images.
///
/// With t = images seen after the warm-up as a part of all images after it, clamped to [0, 1], and
/// f = final_fraction: linear gives base * (1 - (1 - f) t); cosine base * (f + (1 - f)
/// (1 + cos(pi t)) / 2); step base * step_factor^floor(images after the warm-up / step).
double learning_rate(const LearningRateSchedule& schedule, double base, std::int64_t images_seen,
                     std::int64_t total_images);

}  // namespace ganscale::optim
