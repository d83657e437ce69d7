#pragma once

#include <string>
#include <vector>

#include "augment/ada_pipeline.h"
#include "augment/adaptive_probability.h"
#include "augment/blur/fading_blur.h"
#include "augment/diff_augment.h"
#include "config/section.h"
#include "schedule/schedule.h"

namespace ganscale::augment {

enum class Method { kNone, kAda, kDiffAugment };

/// What happens to images before the discriminator sees them: the section `augment`.
struct AugmentConfig {
  Method method = Method::kNone;
  AdaPipeline pipeline;                ///< of ADA
  double p = 0;                        ///< of ADA: fixed, or the initial value
  bool adaptive = true;                ///< of ADA
  schedule::Schedule p_schedule = {};  ///< of ADA's p if it does not adapt
  AdaptiveProbability adaptation;
  DiffAugmentPolicy policy;  ///< of DiffAugment
  FadingBlur blur;           ///< before the augmentation
};

/// Throws ConfigError for unknown names and invalid values.
AugmentConfig parse_augment(config::Section in);

}  // namespace ganscale::augment
