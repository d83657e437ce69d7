#include "models/stylegan3/plain_images.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>
#include <ATen/ops/linear.h>

#include <array>
#include <cmath>
#include <string>

#include "models/stylegan/plain_layers.h"
#include "models/stylegan3/synthesis_input.h"

namespace ganscale::models::stylegan3 {
namespace {

using stylegan::per_pixel;
using stylegan::Scope;

constexpr double kTiny = 1e-8;
constexpr std::array<std::int64_t, 2> kNone = {0, 0};
constexpr std::array<std::int64_t, 2> kOne = {1, 1};

at::Tensor modulated(const at::Tensor& x, const at::Tensor& styles, const Scope& names,
                     const Layer& layer) {
  const at::Tensor gain = names["magnitude_ema"].rsqrt();
  if (layer.is_to_rgb) {
    return at::conv2d(x * per_pixel(styles * gain), names["weight"]);
  }
  const at::Tensor& raw = names["weight"];
  const at::Tensor weight = raw * raw.square().mean({1, 2, 3}, /*keepdim=*/true).rsqrt();
  const at::Tensor scales = styles * styles.square().mean().rsqrt();
  const at::Tensor factors =
      at::linear(scales.square(), weight.square().sum({2, 3})).add(kTiny).rsqrt();
  const std::int64_t padding = layer.kernel - 1;
  return at::conv2d(x * per_pixel(scales * gain), weight, /*bias=*/{}, /*stride=*/kOne,
                    {padding, padding}) *
         per_pixel(factors);
}

/// Returns the filter of each channel, as a convolution with a group for each takes it.
at::Tensor of_channels(const at::Tensor& filter, std::int64_t channels) {
  return filter.unsqueeze(0).unsqueeze(0).expand({channels, 1, -1, -1});
}

/// Upsamples with zeros, pads and filters.
at::Tensor upsampled(const at::Tensor& x, const Scope& names, const Layer& layer) {
  const Padding columns = layer.padding(layer.in.size.width, layer.out.size.width);
  const Padding rows = layer.padding(layer.in.size.height, layer.out.size.height);
  const std::int64_t up = layer.up();
  const std::int64_t before = layer.up_taps() - 1;  // that a filter adds
  const std::int64_t after = up - layer.up_taps();
  at::Tensor y = x;
  std::vector<std::int64_t> padding = {columns.before, columns.after, rows.before, rows.after};
  if (names.has("up_filter")) {
    const auto C = x.size(1);
    const at::Tensor filter = names["up_filter"] * static_cast<double>(up);
    y = at::conv_transpose2d(y, of_channels(filter.unsqueeze(1), C), /*bias=*/{}, {up, 1},
                             /*padding=*/kNone, /*output_padding=*/kNone, C);
    y = at::conv_transpose2d(y, of_channels(filter.unsqueeze(0), C), /*bias=*/{}, {1, up},
                             /*padding=*/kNone, /*output_padding=*/kNone, C);
    padding = {columns.before - before, columns.after + after, rows.before - before,
               rows.after + after};
  }
  return at::constant_pad_nd(y, padding);
}

at::Tensor downsampled(const at::Tensor& x, const Scope& names, const Layer& layer) {
  if (!names.has("down_filter")) return x;
  const auto C = x.size(1);
  const std::int64_t down = layer.down();
  const at::Tensor& filter = names["down_filter"];
  const auto filtered = [&](const at::Tensor& from, const at::Tensor& taps,
                            std::vector<std::int64_t> stride) {
    return at::conv2d(from, of_channels(taps, C), /*bias=*/{}, stride, /*padding=*/kNone,
                      /*dilation=*/kOne, C);
  };
  if (filter.dim() == 2) return filtered(x, filter, {down, down});
  return filtered(filtered(x, filter.unsqueeze(1), {down, 1}), filter.unsqueeze(0), {1, down});
}

at::Tensor synthesis_layer(const at::Tensor& x, const at::Tensor& w, const Scope& names,
                           const Layer& layer, const std::optional<double>& clamp) {
  const double gain = layer.is_to_rgb ? 1 / std::sqrt(static_cast<double>(x.size(1))) : 1;
  const at::Tensor styles = stylegan::connected(w, names.within("affine"), gain);
  const at::Tensor y = modulated(x, styles, names, layer) + names["bias"].unsqueeze(1).unsqueeze(2);
  if (layer.is_to_rgb) return clamp ? y.clamp(-*clamp, *clamp) : y;
  return downsampled(stylegan::activated(upsampled(y, names, layer), clamp), names, layer);
}

}  // namespace

at::Tensor plain_images(const NamedTensors& state, const NetworkConfig& config, const at::Tensor& z,
                        const at::Tensor& labels) {
  const at::Tensor w =
      stylegan::style_vectors({state, "mapping."}, config.mapping_layers, z, labels);
  const Scope synthesis(state, "synthesis.");
  const Scope input = synthesis.within("input");
  at::Tensor x =
      fourier_features(stylegan::connected(w, input.within("affine")),
                       {input["weight"], input["freqs"], input["phases"], input["transform"]},
                       input_signal(config.synthesis));
  std::size_t number = 0;
  for (const Layer& layer : layers_of(config.synthesis)) {
    x = synthesis_layer(x, w, synthesis.within(name_of(layer, number++)), layer, config.clamp);
  }
  return x * config.output_scale;
}

}  // namespace ganscale::models::stylegan3
