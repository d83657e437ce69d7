#pragma once

#include <filesystem>

#include "training/phases/replica.h"

namespace ganscale::training {

/// Begins a run with the networks of another one: transfer learning.
///
/// Copies the tensors of both networks and of the generator's average that have the same name and
/// shape there, and logs how many parameters there were, as a warning below half; the others stay
/// as they were made. Optimizers and counters begin anew.
///
/// from:   a checkpoint's folder, or a run's, whose newest valid checkpoint is taken.
/// Throws: DataError if there is no checkpoint; ConfigError if no parameter of a
///         network fits, but for lone numbers, which fit everywhere.
void transfer_weights(Replica& replica, const std::filesystem::path& from);

}  // namespace ganscale::training
