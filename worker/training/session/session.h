#pragma once

#include "base/error.h"
#include "training/run/provenance.h"
#include "training/run/run_config.h"
#include "training/run/run_folder.h"

namespace ganscale::training {

/// Trains: opens the world, the data, the device and the run folder, resumes from the newest valid
/// checkpoint if there is one, and runs the loop.
///
/// config:     read with the schemes; trained as the chosen one says.
/// provenance: recorded in the run folder and in checkpoints.
/// dry_run:    stop before the first step, after all checks and without writing anything.
/// Returns:    see run_loop().
/// Throws:     ConfigError, DataError, DeviceError, PeerLost.
ExitCode run_session(RunConfig config, const RunFolder& folder, const Provenance& provenance,
                     bool dry_run);

}  // namespace ganscale::training
