#pragma once

#include "base/error.h"
#include "training/run/provenance.h"
#include "training/run/run_config.h"
#include "training/run/run_folder.h"
#include "training/session/try_fabric.h"

namespace ganscale::training {

struct SessionOptions {
  bool dry_run = false;  ///< stop before the first step, after all checks, and write nothing
  PreflightOptions fabric = {};
};

/// Trains: opens the world, the data, the device and the run folder, resumes from the newest valid
/// checkpoint if there is one, and runs the loop.
///
/// config:     read with the schemes; trained as the chosen one says.
/// provenance: recorded in the run folder and in checkpoints.
/// Returns:    see run_loop().
/// Throws:     ConfigError, DataError, DeviceError, FabricError, PeerLost.
ExitCode run_session(RunConfig config, const RunFolder& folder, const Provenance& provenance,
                     const SessionOptions& options);

}  // namespace ganscale::training
