#pragma once

#include <cstdint>
#include <string_view>

#include "config/section.h"

/// Numbers that follow the images seen, so that a resumed run continues where it stopped.
namespace ganscale::schedule {

enum class ScheduleKind { kConstant, kLinear, kCosine, kStep };

/// How a number changes over images seen, from a base that others know.
struct Schedule {
  ScheduleKind kind = ScheduleKind::kConstant;
  double warmup_kimg = 0;    ///< rises linearly from 0 over this time
  double kimg = 0;           ///< linear, cosine: when the end is reached; 0: with the run
  double final = 0;          ///< linear, cosine: the value from there on
  double step_kimg = 1000;   ///< step: kimg between two steps
  double step_factor = 0.5;  ///< step: factor of each step

  bool is_constant() const { return kind == ScheduleKind::kConstant && warmup_kimg == 0; }
};

/// Returns the value after `images_seen` images.
///
/// With t the fraction of images seen between warm-up and end, clamped to [0, 1]:
///   linear: base + (final - base) t
///   cosine: final + (base - final) (1 + cos(pi t)) / 2
///   step:   base * step_factor^floor(images after the warm-up / step)
///
/// total_images: of the run, for a schedule that ends with it.
double value_of(const Schedule& schedule, double base, std::int64_t images_seen,
                std::int64_t total_images = 0);

/// What the final value of a schedule is called.
struct FinalKey {
  std::string_view name;
  std::string_view documentation;
};

/// Reads the schedule of a number: constant, linear or cosine. Throws ConfigError.
Schedule parse_schedule(config::Section in, const FinalKey& key);

/// Reads `schedule` of a learning rate, whose base is 1: linear and cosine end with the run unless
/// `kimg` says otherwise. Throws ConfigError.
Schedule parse_rate_schedule(config::Section in);

}  // namespace ganscale::schedule
