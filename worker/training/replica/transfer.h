#pragma once

#include <filesystem>

#include "training/replica/replica.h"

namespace ganscale::training {

/// Initializes a run from the networks of another one: transfer learning.
///
/// Copies the tensors of both networks and of the generator's average that have the same name and
/// shape, but no filters, and logs how many parameters were copied, as a warning if fewer than
/// half. The others keep their initial values. Optimizers and counters start from zero.
///
/// from:   the folder of a checkpoint, or of a run, for its newest valid checkpoint.
/// Throws: DataError if there is no checkpoint; ConfigError if no parameter of a network matches,
///         not counting scalars, which match everywhere.
void transfer_weights(Replica& replica, const std::filesystem::path& from);

}  // namespace ganscale::training
