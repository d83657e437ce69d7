#pragma once

#include "config/require_between.h"
#include "config/section.h"
#include "models/stylegan/discriminator_config.h"

/// The keys of the generator's mapping network. A family's NetworkConfig holds them with its own
/// defaults: z_dim, w_dim, mapping_layers and w_average_beta.
namespace ganscale::models::stylegan {

/// Reads z_dim and w_dim.
template <class NetworkConfig>
void read_dimensions(config::Section& in, NetworkConfig& c) {
  c.z_dim = in.get("z_dim", c.z_dim, "dimension of the latent z");
  c.w_dim = in.get("w_dim", c.w_dim, "dimension of the style vector w");
}

/// Reads mapping_layers and w_average_beta.
template <class NetworkConfig>
void read_mapping(config::Section& in, NetworkConfig& c) {
  c.mapping_layers = in.get("mapping_layers", c.mapping_layers, "layers of the mapping network");
  c.w_average_beta = in.get("w_average_beta", c.w_average_beta,
                            "decay of the running mean of style vectors, per call");
}

/// Throws ConfigError at the key of a decay that is not in [0, 1).
inline void require_decay(const config::Section& in, std::string_view key, double beta) {
  in.require(beta >= 0 && beta < 1, key, "must be in [0, 1)");
}

/// Throws ConfigError for an impossible mapping network.
template <class NetworkConfig>
void require_mapping(const config::Section& in, const NetworkConfig& c) {
  config::require_between(in, "z_dim", c.z_dim, 1, kMostFeatures);
  config::require_between(in, "w_dim", c.w_dim, 1, kMostFeatures);
  config::require_between(in, "mapping_layers", c.mapping_layers, 1, kMostMappingLayers);
  require_decay(in, "w_average_beta", c.w_average_beta);
}

}  // namespace ganscale::models::stylegan
