#include "models/stylegan3/config.h"

#include <cmath>

#include "config/require_between.h"

namespace ganscale::models::stylegan3 {
namespace {

using config::require_between;

void read_shape(config::Section& in, SynthesisShape& c) {
  c.channel_base = in.get("generator_channel_base", c.channel_base,
                          "channels of the generator: generator_channel_base / 2 / cutoff of the "
                          "layer, at most generator_channel_max");
  c.channel_max =
      in.get("generator_channel_max", c.channel_max, "maximum number of the generator's channels");
  c.layers = in.get("layers", c.layers,
                    "number of synthesis layers, not counting the one that produces the image");
  c.critical_layers = in.get("critical_layers", c.critical_layers,
                             "layers at the end that use all frequencies of their sampling rate");
  c.first_cutoff =
      in.get("first_cutoff", c.first_cutoff, "cutoff of the first layer, in cycles per image");
  c.first_stopband =
      in.get("first_stopband", c.first_stopband, "minimum stop band of the first layer");
  c.last_stopband = in.get("last_stopband", c.last_stopband,
                           "minimum stop band of the last layers, as a multiple of their cutoff");
  c.margin = in.get("margin", c.margin,
                    "margin around the image, in pixels, that the layers also compute");
  c.kernel = in.get("kernel", c.kernel, "size of the convolutions: 3 (config T) or 1 (config R)");
  c.filter_taps =
      in.get("filter_taps", c.filter_taps, "taps of a filter for each multiple of a rate");
  c.activation_rate =
      in.get("activation_rate", c.activation_rate, "oversampling factor of the activations");
  c.has_radial_filters = in.get("radial_filters", c.has_radial_filters,
                                "downsample with radially symmetric filters (config R)");
}

void read_generator(config::Section& in, NetworkConfig& c) {
  c.z_dim = in.get("z_dim", c.z_dim, "dimension of the latent z");
  c.w_dim = in.get("w_dim", c.w_dim, "dimension of the style vector w");
  c.mapping_layers = in.get("mapping_layers", c.mapping_layers, "layers of the mapping network");
  c.w_average_beta = in.get("w_average_beta", c.w_average_beta,
                            "decay of the running mean of style vectors, per call");
  c.magnitude_beta = in.get("magnitude_beta", c.magnitude_beta,
                            "decay of the running mean square of each layer's input, per step");
  c.output_scale =
      in.get("output_scale", c.output_scale, "factor by which the last layer's output is scaled");
  read_shape(in, c.synthesis);
}

void require_shape(const config::Section& in, const SynthesisShape& c) {
  const double half = c.resolution.shorter_side() / 2.0;
  require_between(in, "generator_channel_max", c.channel_max, 1, stylegan::kMostFeatures);
  in.require(c.channel_base >= c.resolution.shorter_side(), "generator_channel_base",
             "must be at least the resolution");
  require_between(in, "layers", c.layers, 2, 64);
  require_between(in, "critical_layers", c.critical_layers, 1, c.layers - 1);
  in.require(c.first_cutoff > 0 && c.first_cutoff <= half, "first_cutoff",
             "must be above 0 and at most half the resolution");
  in.require(c.first_stopband > c.first_cutoff && c.first_stopband <= half, "first_stopband",
             "must be above first_cutoff and at most half the resolution");
  in.require(c.last_stopband > 1, "last_stopband", "must be above 1");
  require_between(in, "margin", c.margin, 0, 256);
  in.require(
      c.kernel == 1 || c.kernel % 2 == 1, "kernel",
      "must be odd, so that output pixels coincide with input pixels: " + std::to_string(c.kernel));
  require_between(in, "kernel", c.kernel, 1, 7);
  require_between(in, "activation_rate", c.activation_rate, 1, 4);
  require_between(in, "filter_taps", c.filter_taps, 1, 32);
  in.require(!c.has_radial_filters || c.filter_taps * c.activation_rate % 2 == 0, "filter_taps",
             "must be even with radial_filters, which have no tap at their center: " +
                 std::to_string(c.filter_taps));
}

void require_possible(const config::Section& in, const NetworkConfig& c) {
  stylegan::require_possible(in, c.discriminator, "stylegan3", /*lowest_resolution=*/16);
  require_between(in, "z_dim", c.z_dim, 1, stylegan::kMostFeatures);
  require_between(in, "w_dim", c.w_dim, 1, stylegan::kMostFeatures);
  require_between(in, "mapping_layers", c.mapping_layers, 1, stylegan::kMostMappingLayers);
  const auto is_decay = [](double beta) { return beta >= 0 && beta < 1; };
  in.require(is_decay(c.w_average_beta), "w_average_beta", "must be in [0, 1)");
  in.require(is_decay(c.magnitude_beta), "magnitude_beta", "must be in [0, 1)");
  in.require(c.output_scale > 0, "output_scale", "must be positive");
  require_shape(in, c.synthesis);
}

}  // namespace

NetworkConfig read_networks(config::Section& in, const ModelConfig& model) {
  NetworkConfig c;
  stylegan::DiscriminatorConfig& d = c.discriminator;
  c.synthesis.resolution = d.resolution = model.resolution;
  c.synthesis.first_stopband = std::exp2(2.1);
  c.synthesis.last_stopband = std::exp2(0.3);
  d.clamps_always = true;
  if (!model.low_precision_type) d.conv_clamp = 0;
  d.channel_base =
      in.get("channel_base", d.channel_base,
             "channels of the discriminator at a resolution: channel_base / resolution, at most "
             "channel_max");
  d.channel_max =
      in.get("channel_max", d.channel_max, "maximum number of the discriminator's channels");
  c.synthesis.channel_base = d.channel_base;
  c.synthesis.channel_max = d.channel_max;
  read_generator(in, c);
  stylegan::read_discriminator(in, d);
  stylegan::read_precision(in, model, d);
  c.synthesis.low_precision_resolutions = d.low_precision_resolutions;
  c.clamp = d.clamp();
  require_possible(in, c);
  return c;
}

}  // namespace ganscale::models::stylegan3
