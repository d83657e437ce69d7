#pragma once

#include "models/contract/model.h"

namespace ganscale::models {

/// Reads the keys of a W-GAN with residual networks: the small table at 32x32, SNGAN's tables
/// beyond.
void read_wgan_resnet(config::Section& in, ModelConfig& config);

/// Reads the keys of an SNGAN: its tables, with spectral normalization unless set otherwise.
void read_sngan(config::Section& in, ModelConfig& config);

}  // namespace ganscale::models
