#pragma once

#include "base/error.h"
#include "training/run/run_config.h"
#include "training/run/run_folder.h"

namespace ganscale::training {

/// Trains: opens the world of ranks, the data, the device and the run folder, goes on from the
/// newest valid checkpoint where there is one, and runs the loop.
///
/// dry_run: stop before the first step; everything was checked and nothing written.
/// Returns: see run_loop().
/// Throws:  ConfigError, DataError, DeviceError, PeerLost.
ExitCode run_session(RunConfig config, const RunFolder& folder, bool dry_run);

}  // namespace ganscale::training
