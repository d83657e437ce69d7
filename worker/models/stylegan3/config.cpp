#include "models/stylegan3/config.h"

#include <cmath>

#include "config/require_between.h"
#include "kernels/upfirdn2d/fill.h"
#include "models/stylegan/mapping_keys.h"

namespace ganscale::models::stylegan3 {
namespace {

using config::require_between;

void read_shape(config::Section& in, SynthesisShape& c) {
  const auto read = [&in](std::string_view key, auto& value, std::string_view documentation) {
    value = in.get(key, value, documentation);
  };
  read("generator_channel_base", c.channel_base,
       "channels of the generator: generator_channel_base / 2 / cutoff of the layer, at most "
       "generator_channel_max");
  read("generator_channel_max", c.channel_max, "maximum number of the generator's channels");
  read("layers", c.layers,
       "number of synthesis layers, not counting the one that produces the image");
  read("critical_layers", c.critical_layers,
       "layers at the end that use all frequencies of their sampling rate");
  read("first_cutoff", c.first_cutoff, "cutoff of the first layer, in cycles per image");
  read("first_stopband", c.first_stopband, "minimum stop band of the first layer");
  read("last_stopband", c.last_stopband,
       "minimum stop band of the last layers, as a multiple of their cutoff");
  read("margin", c.margin, "margin around the image, in pixels, that the layers also compute");
  read("kernel", c.kernel, "size of the convolutions: 3 (config T) or 1 (config R)");
  read("filter_taps", c.filter_taps, "taps of a filter for each multiple of a rate");
  read("activation_rate", c.activation_rate, "oversampling factor of the activations");
  read("radial_filters", c.has_radial_filters,
       "downsample with radially symmetric filters (config R)");
}

void read_generator(config::Section& in, NetworkConfig& c) {
  stylegan::read_dimensions(in, c);
  stylegan::read_mapping(in, c);
  c.magnitude_beta = in.get("magnitude_beta", c.magnitude_beta,
                            "decay of the running mean square of each layer's input, per step");
  c.output_scale =
      in.get("output_scale", c.output_scale, "factor by which the last layer's output is scaled");
  read_shape(in, c.synthesis);
}

/// Radial filters are squares; the others are lines.
void require_radial_filters(const config::Section& in, const SynthesisShape& c) {
  const int side = c.filter_taps * c.activation_rate;
  in.require(side % 2 == 0, "filter_taps",
             "must be even with radial_filters, which have no tap at their center: " +
                 std::to_string(c.filter_taps));
  in.require(side * side <= kernels::kMostTaps, "filter_taps",
             "(filter_taps * activation_rate)^2, the taps of radial_filters, must be at most " +
                 std::to_string(kernels::kMostTaps) + ": (" + std::to_string(c.filter_taps) +
                 " * " + std::to_string(c.activation_rate) + ")^2");
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
  if (c.has_radial_filters) require_radial_filters(in, c);
}

void require_possible(const config::Section& in, const NetworkConfig& c) {
  stylegan::require_possible(in, c.discriminator, "stylegan3", /*lowest_resolution=*/16);
  stylegan::require_mapping(in, c);
  stylegan::require_decay(in, "magnitude_beta", c.magnitude_beta);
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
