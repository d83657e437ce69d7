#pragma once

#include <utility>

#include "optim/optimizer/optimizer_kind.h"

/// Options that several optimizers share. All throw ConfigError for an impossible value.
namespace ganscale::optim {

/// Reads `betas`: the decays of the means of the gradient and of its square, both in [0, 1).
std::pair<double, double> read_betas(config::Section& in, const OptimizerDefaults& defaults);

/// Reads `epsilon`, at least 0.
double read_epsilon(config::Section& in, double fallback = 1e-8);

/// Reads `momentum`, at least 0 and below 1.
double read_momentum(config::Section& in);

/// Reads `weight_decay`, at least 0.
double read_weight_decay(config::Section& in);
/// The same for an optimizer whose trust ratio applies to decayed tensors only.
double read_weight_decay_of_trust(config::Section& in, double fallback);

}  // namespace ganscale::optim
