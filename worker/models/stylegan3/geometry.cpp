#include "models/stylegan3/geometry.h"

#include <algorithm>
#include <cmath>

namespace ganscale::models::stylegan3 {
namespace {

int floor_half(int number) { return (number >= 0 ? number : number - 1) / 2; }

/// Returns what layer i gives.
Signal signal_at(const SynthesisShape& shape, int i) {
  const double exponent =
      std::min(static_cast<double>(i) / (shape.layers - shape.critical_layers), 1.0);
  const int pixels = shape.resolution.shorter_side();
  const double last_cutoff = pixels / 2.0;
  const double last_stopband = last_cutoff * shape.last_stopband;
  const double cutoff = shape.first_cutoff * std::pow(last_cutoff / shape.first_cutoff, exponent);
  const double stopband =
      shape.first_stopband * std::pow(last_stopband / shape.first_stopband, exponent);
  const double wanted = std::min(stopband * 2, static_cast<double>(pixels));
  const int rate = static_cast<int>(std::exp2(std::ceil(std::log2(wanted))));
  const Resolution image = shape.resolution.scaled_to(rate);
  const Resolution beyond(image.height + 2 * shape.margin, image.width + 2 * shape.margin);
  const double channels =
      std::min(shape.channel_base / 2.0 / cutoff, static_cast<double>(shape.channel_max));
  return {.channels =
              i == shape.layers ? shape.image_channels : static_cast<int>(std::nearbyint(channels)),
          .size = i >= shape.layers - 1 ? shape.resolution : beyond,
          .rate = rate,
          .cutoff = cutoff,
          .half_width = std::max(stopband, rate / 2.0) - cutoff};
}

}  // namespace

int Layer::activated_rate() const {
  return std::max(in.rate, out.rate) * (is_to_rgb ? 1 : activation_rate);
}

int Layer::up_taps() const { return up() > 1 && !is_to_rgb ? filter_taps * up() : 1; }

int Layer::down_taps() const { return down() > 1 && !is_to_rgb ? filter_taps * down() : 1; }

Padding Layer::padding(int in_length, int out_length) const {
  const int wanted = (out_length - 1) * down() + 1;
  const int grown = (in_length + kernel - 1) * up();
  const int total = wanted - grown + up_taps() + down_taps() - 2;
  const int before = floor_half(total + up());
  return {before, total - before};
}

std::string name_of(const Layer& layer, std::size_t number) {
  return "L" + std::to_string(number) + "_" + std::to_string(layer.out.size.width) + "_" +
         std::to_string(layer.out.channels);
}

Signal input_signal(const SynthesisShape& shape) { return signal_at(shape, 0); }

std::vector<Layer> layers_of(const SynthesisShape& shape) {
  std::vector<Layer> layers;
  for (int i = 0; i <= shape.layers; ++i) {
    const bool is_to_rgb = i == shape.layers;
    const Signal out = signal_at(shape, i);
    layers.push_back({.in = signal_at(shape, std::max(i - 1, 0)),
                      .out = out,
                      .kernel = is_to_rgb ? 1 : shape.kernel,
                      .filter_taps = shape.filter_taps,
                      .activation_rate = shape.activation_rate,
                      .is_to_rgb = is_to_rgb,
                      .is_critical = i >= shape.layers - shape.critical_layers,
                      .has_radial_filters = shape.has_radial_filters,
                      .has_low_precision = static_cast<double>(out.rate) *
                                               std::exp2(shape.low_precision_resolutions) >
                                           shape.resolution.shorter_side()});
  }
  return layers;
}

}  // namespace ganscale::models::stylegan3
