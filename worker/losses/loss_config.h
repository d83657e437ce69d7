#pragma once

#include <cstdint>

#include "config/section.h"

namespace ganscale::losses {

enum class Adversarial { kNonSaturating, kWasserstein };

/// What the two networks play for: the section `loss`.
struct LossConfig {
  Adversarial kind = Adversarial::kNonSaturating;
  std::int64_t critic_steps = 1;  ///< of the discriminator for one of the generator
  double gradient_penalty = 0;    ///< weight; 0: none
  double weight_clip = 0;         ///< bound of the discriminator's parameters; 0: none
};

/// With `name: wasserstein` the defaults are those of Gulrajani et al. 2017: 5 critic steps and a
/// gradient penalty of 10. Throws ConfigError.
LossConfig parse_loss(config::Section in);

}  // namespace ganscale::losses
