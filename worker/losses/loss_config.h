#pragma once

#include <cstdint>

#include "config/section.h"
#include "schedule/schedule.h"

namespace ganscale::losses {

enum class Adversarial { kNonSaturating, kWasserstein, kHinge, kLeastSquares, kRelativistic };

/// The adversarial loss: the section `loss`.
struct LossConfig {
  Adversarial kind = Adversarial::kNonSaturating;
  std::int64_t critic_steps = 1;     ///< discriminator steps per generator step
  bool discriminator_first = false;  ///< a step trains it, then the generator
  bool shares_fakes = false;    ///< the discriminator trains on the generator's, not on new ones
  bool uniform_labels = false;  ///< of fakes; otherwise those of the reals of the same batch
  double gradient_penalty = 0;  ///< weight; 0: none
  double weight_clip = 0;       ///< limit of the discriminator's parameters; 0: none
};

/// When R1 and R2 are taken.
enum class PenaltyPhase {
  kLazy,  ///< in a phase of their own, every so many steps; the loss is `interval` times the penalty
  kMain,  ///< in each step, as a part of the main phase's loss
};

/// The penalties R1 and R2 of D's gradient.
struct PenaltyOptions {
  double r1_gamma = 0;  ///< weight of R1; 0: none
  double r2_gamma = 0;
  PenaltyPhase phase = PenaltyPhase::kLazy;
  std::int64_t interval = 0;         ///< of the lazy phase, in steps; 0: never
  schedule::Schedule schedule = {};  ///< of both weights, from 1 to a fraction

  /// Returns the factor of both weights after so many images.
  double factor(std::int64_t images_seen) const {
    return schedule::value_of(schedule, 1, images_seen);
  }
  bool is_lazy() const { return phase == PenaltyPhase::kLazy && (r1_gamma > 0 || r2_gamma > 0); }
  /// Whether the lazy phase takes fakes: those that the main phase has scored.
  bool takes_fakes() const { return is_lazy() && r2_gamma > 0; }
};

/// Lazy path length regularization of G; the loss is `interval` times the penalty.
struct PathLengthOptions {
  double weight = 0;
  std::int64_t interval = 0;  ///< steps of the generator; 0: never
  double decay = 0.01;        ///< of the running mean of path lengths
  std::int64_t batch_shrink = 2;
};

/// The defaults of `name: wasserstein` are from Gulrajani et al. 2017: 5 critic steps and a
/// gradient penalty of 10; of `relativistic` from R3GAN: a step trains D first. Throws
/// ConfigError.
LossConfig parse_loss(config::Section in);

/// Reads r1_gamma, r2_gamma, penalty_phase, r1_interval and gamma_schedule of the discriminator's
/// section; its other keys are the caller's.
PenaltyOptions read_penalties(config::Section& in);

/// Reads orthogonality_weight of the generator's section; its other keys are the caller's.
double read_orthogonality(config::Section& in);

/// Reads path_length_* of the generator's section; its other keys are the caller's.
PathLengthOptions read_path_length(config::Section& in);

}  // namespace ganscale::losses
