#pragma once

#include "models/contract/model.h"

namespace ganscale::models {

/// Reads the keys of a DC-GAN.
void read_dcgan(config::Section& in, ModelConfig& config);

/// Reads the keys of a W-GAN with the networks of a DC-GAN. The batch norms of its critic are
/// frozen: a gradient penalty of each image must not depend on the others.
void read_wgan(config::Section& in, ModelConfig& config);

}  // namespace ganscale::models
