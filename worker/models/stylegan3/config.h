#pragma once

#include <optional>

#include "models/stylegan/discriminator_config.h"
#include "models/stylegan3/geometry.h"

namespace ganscale::models::stylegan3 {

/// The shape of both networks.
struct NetworkConfig {
  SynthesisShape synthesis;
  int z_dim = 512;
  int w_dim = 512;
  int label_count = 0;  ///< 0: unconditional
  int mapping_layers = 2;
  double w_average_beta = 0.998;
  double magnitude_beta = 0.999;
  double output_scale = 0.25;
  std::optional<double> clamp = {};  ///< of the generator's activations
  std::optional<at::ScalarType> low_precision_type = {};
  comm::Group* ranks = nullptr;  ///< whose images share magnitudes; null: only this rank
  stylegan::DiscriminatorConfig discriminator;

  /// Returns the number of w vectors per image: one for the input and one per layer.
  int w_count() const { return synthesis.layers + 2; }
};

/// Reads the keys of `model` that are specific to this model. Throws ConfigError.
NetworkConfig read_networks(config::Section& in, const ModelConfig& model);

}  // namespace ganscale::models::stylegan3
