#pragma once

#include "base/error.h"
#include "training/loop/scheme.h"
#include "training/run/provenance.h"

namespace ganscale::training {

/// Trains: opens the world, the data, the device and the run folder, resumes from the newest valid
/// checkpoint if there is one, and runs the loop.
///
/// schemes:    those that the configuration was read with.
/// provenance: recorded in the run folder and in checkpoints.
/// dry_run:    stop before the first step, after all checks and without writing anything.
/// Returns:    see run_loop().
/// Throws:     ConfigError, DataError, DeviceError, PeerLost.
ExitCode run_session(RunConfig config, const RunFolder& folder, SchemeTable schemes,
                     const Provenance& provenance, bool dry_run);

}  // namespace ganscale::training
