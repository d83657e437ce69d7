#pragma once

#include "models/model.h"

namespace ganscale::models {

/// Reads the keys of a W-GAN with small residual networks.
void read_wgan_resnet(config::Section& in, ModelConfig& config);

}  // namespace ganscale::models
