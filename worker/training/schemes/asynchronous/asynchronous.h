#pragma once

#include "training/loop/scheme.h"
#include "wire/role_plan.h"

namespace ganscale::training {

/// What the scheme reads of the section `scheme`.
struct AsynchronousOptions {
  wire::RoleRatio ratio;
  std::int64_t max_staleness = 1;  ///< steps
  std::int64_t buffer_limit_bytes = std::int64_t{1} << 30;
  config::Location ratio_location;  ///< of scheme.ratio: the world size is known later
  config::Location buffer_limit_location;
};

/// Trains generator and discriminator at the same time, on ranks of their own (Shi, Li & You 2024,
/// "ParaGAN"): the discriminator takes fakes of a bounded buffer that the generator fills, the
/// generator takes its gradient through a snapshot of the discriminator. docs/paragan.md has the
/// protocol.
///
/// Returns: as run_loop().
ExitCode train_asynchronous(const TrainingContext& context);

/// As try_training().
void try_asynchronous(const TrainingContext& context);

/// Returns the scheme that does so.
Scheme asynchronous_scheme();

}  // namespace ganscale::training
