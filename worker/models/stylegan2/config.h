#pragma once

#include "models/stylegan/discriminator_config.h"

namespace ganscale::models::stylegan2 {

/// The noise in the layers of the generator.
enum class NoiseMode {
  kRandom,    ///< random per image in training mode, constant otherwise
  kConstant,  ///< always the constant noise buffers
};

/// The shape of both networks: the discriminator's, whose widths and types are the generator's as
/// well, and what else the generator has.
struct NetworkConfig : stylegan::DiscriminatorConfig {
  int z_dim = 512;
  int w_dim = 512;
  int mapping_layers = 8;
  double w_average_beta = 0.995;
  double style_mixing = 0.9;  ///< probability of style mixing while training
  NoiseMode noise = NoiseMode::kRandom;

  /// Returns the number of w vectors per image: one per layer, and one for the last toRGB layer.
  int w_count() const;
};

/// Reads the keys of `model` that are specific to this model. Throws ConfigError.
NetworkConfig read_networks(config::Section& in, const ModelConfig& model);

}  // namespace ganscale::models::stylegan2
