#pragma once

#include <c10/core/DeviceType.h>

#include "models/contract/networks.h"
#include "training/run/run_config.h"

namespace ganscale::training {

/// Returns whether fakes and reals pass through a discriminator together.
///
/// can:    of the discriminator, whose images are on `device`.
/// Throws: ConfigError if the configuration asks for the impossible.
bool joins_batches(const RunConfig& config, models::BatchJoining can, at::DeviceType device);

}  // namespace ganscale::training
