#pragma once

#include <cstdint>

#include "config/section.h"

namespace ganscale::losses {

enum class Adversarial { kNonSaturating, kWasserstein, kHinge, kLeastSquares };

/// The adversarial loss: the section `loss`.
struct LossConfig {
  Adversarial kind = Adversarial::kNonSaturating;
  std::int64_t critic_steps = 1;     ///< discriminator steps per generator step
  bool discriminator_first = false;  ///< a step trains it, then the generator
  double gradient_penalty = 0;       ///< weight; 0: none
  double weight_clip = 0;            ///< limit of the discriminator's parameters; 0: none
};

/// Lazy R1 regularization of D; the loss is `interval` times the penalty.
struct R1Options {
  double gamma = 0;
  std::int64_t interval = 0;  ///< steps; 0: never
};

/// Lazy path length regularization of G; the loss is `interval` times the penalty.
struct PathLengthOptions {
  double weight = 0;
  std::int64_t interval = 0;  ///< steps; 0: never
  double decay = 0.01;        ///< of the running mean of path lengths
  std::int64_t batch_shrink = 2;
};

/// The defaults of `name: wasserstein` are those of Gulrajani et al. 2017: 5 critic steps and a
/// gradient penalty of 10. Throws ConfigError.
LossConfig parse_loss(config::Section in);

/// Reads r1_gamma and r1_interval of the discriminator's section; its other keys are the caller's.
R1Options read_r1(config::Section& in);

/// Reads orthogonality_weight of the generator's section; its other keys are the caller's.
double read_orthogonality(config::Section& in);

/// Reads path_length_* of the generator's section; its other keys are the caller's.
PathLengthOptions read_path_length(config::Section& in);

}  // namespace ganscale::losses
