#pragma once

#include "base/error.h"
#include "training/loop/trainer.h"
#include "training/loop/training_context.h"

namespace ganscale::training {

/// Trains until the run is done or is ended by a signal, a command, its budget or an error.
/// Every rank of the group calls it, with a trainer that stands at `progress`.
///
/// Rank 0 makes the run folder and writes checkpoints there: one before the generator is measured
/// at the same moment. If the trainer stands where an earlier attempt was to draw samples or to
/// measure and did not, that comes first.
///
/// Returns: kOk when done or after the command stop, kStopped after a signal; both after a
///          checkpoint.
/// Throws:  DataError, PeerLost, ConfigError (the run diverged), ...; the last good checkpoint is
///          kept. Rank 0 first completes the one that is being written, unless other ranks that
///          fail, too, end it before.
ExitCode run_loop(const TrainingContext& context, Trainer& trainer, Progress& progress);

}  // namespace ganscale::training
