#pragma once

#include "config/section.h"
#include "models/contract/networks.h"
#include "models/layers/batch_norm.h"

namespace ganscale::models {

/// The keys that plain convolutional models share.
struct ConvolutionalConfig {
  int z_dim = 100;
  BatchNormMode batch_norm = BatchNormMode::kLocal;
  bool spectral_norm = false;  ///< of the discriminator
};

/// Reads batch_norm. Throws ConfigError.
BatchNormMode read_batch_norm(config::Section& in);

/// Reads z_dim, batch_norm and spectral_norm over the model's defaults. Throws ConfigError.
ConvolutionalConfig read_convolutional(config::Section& in, ConvolutionalConfig c = {});

/// Adds spectral normalization to all layers.
void normalize_spectra(torch::nn::Module& network);

}  // namespace ganscale::models
