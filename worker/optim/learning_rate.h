#pragma once

#include <cstdint>

#include "config/section.h"

namespace ganscale::optim {

enum class ScheduleKind { kConstant, kLinear, kCosine, kStep };

/// A learning rate schedule over images seen.
struct LearningRateSchedule {
  ScheduleKind kind = ScheduleKind::kConstant;
  double warmup_kimg = 0;     ///< rises linearly from 0 over this time
  double final_fraction = 0;  ///< linear, cosine: final learning rate as a fraction of the base
  double step_kimg = 1000;    ///< step: kimg between two steps
  double step_factor = 0.5;   ///< step: factor of each step
};

/// Reads `schedule`. Throws ConfigError.
LearningRateSchedule parse_learning_rate_schedule(config::Section in);

/// Returns the learning rate after `images_seen` of `total_images` images.
///
/// With t the fraction of images seen after the warm-up, clamped to [0, 1], and f = final_fraction:
///   linear: base * (1 - (1 - f) t)
///   cosine: base * (f + (1 - f) (1 + cos(pi t)) / 2)
///   step:   base * step_factor^floor(images after the warm-up / step)
double learning_rate(const LearningRateSchedule& schedule, double base, std::int64_t images_seen,
                     std::int64_t total_images);

}  // namespace ganscale::optim
