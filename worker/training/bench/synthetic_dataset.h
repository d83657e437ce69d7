#pragma once

#include "training/run/dataset.h"

namespace ganscale::training {

/// Returns a dataset that is made as it is read, of the size that the model has
/// (resolution, channels, labels): uniformly random pixels, the same for the same record. Reading it
/// costs little more than a copy.
Dataset synthetic_dataset(const models::ModelConfig& model);

}  // namespace ganscale::training
