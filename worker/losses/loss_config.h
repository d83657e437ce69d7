#pragma once

#include <cstdint>

#include "config/section.h"

namespace ganscale::losses {

enum class Adversarial { kNonSaturating, kWasserstein };

/// The adversarial loss: the section `loss`.
struct LossConfig {
  Adversarial kind = Adversarial::kNonSaturating;
  std::int64_t critic_steps = 1;  ///< discriminator steps per generator step
  double gradient_penalty = 0;    ///< weight; 0: none
  double weight_clip = 0;         ///< limit of the discriminator's parameters; 0: none
};

/// The defaults of `name: wasserstein` are those of Gulrajani et al. 2017: 5 critic steps and a
/// gradient penalty of 10. Throws ConfigError.
LossConfig parse_loss(config::Section in);

}  // namespace ganscale::losses
