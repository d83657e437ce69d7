#pragma once

#include "config/section.h"
#include "models/contract/model.h"
#include "models/layers/batch_norm.h"

namespace ganscale::models {

/// The keys that plain convolutional models share.
struct ConvolutionalConfig {
  int z_dim = 100;
  double channels = 1;  ///< factor of the widths of all layers
  BatchNormMode batch_norm = BatchNormMode::kLocal;
  bool spectral_norm = false;  ///< of the discriminator
  int label_dim = 10;          ///< numbers of a label that are appended to z
  bool scores_labels = true;   ///< the discriminator takes them, too
};

/// Reads batch_norm. Throws ConfigError.
BatchNormMode read_batch_norm(config::Section& in);

/// Reads z_dim, channels, batch_norm and spectral_norm over the model's defaults and, of a model with
/// labels, what the discriminator does with them. Throws ConfigError.
ConvolutionalConfig read_convolutional(config::Section& in, const Traits& traits,
                                       ConvolutionalConfig c = {});

/// Reads label_dim of a generator that appends the label to z. Throws ConfigError for a model
/// without labels.
void read_label_dim(config::Section& in, const Traits& traits, ConvolutionalConfig& c);

/// Returns the width of a layer times the factor, rounded, at least 1.
int scaled_width(int width, double factor);

/// Adds spectral normalization to all layers.
void normalize_spectra(torch::nn::Module& network);

}  // namespace ganscale::models
