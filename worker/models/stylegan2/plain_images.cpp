#include "models/stylegan2/plain_images.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>
#include <ATen/ops/linear.h>

#include <cmath>
#include <string>

#include "models/stylegan/plain_layers.h"

// No constant tensor is made here, which would stay on the device of the trace.
namespace ganscale::models::stylegan2 {
namespace {

constexpr double kTiny = 1e-8;

using stylegan::activated;
using stylegan::connected;
using stylegan::per_pixel;
using stylegan::Scope;
using stylegan::weight_gain;

/// Returns the filter of each channel, as a convolution with a group for each takes it. The factor
/// makes up for the three of four pixels that upsampling leaves zero.
at::Tensor upsampling_weight(const at::Tensor& filter, std::int64_t channels) {
  return (filter * 4).expand({channels, 1, -1, -1});
}

/// Upsamples by 2 and convolves, then filters.
at::Tensor upsampled_convolution(const at::Tensor& x, const Scope& layer) {
  const at::Tensor& weight = layer["weight"];
  const auto channels = weight.size(0);
  const at::Tensor large =
      at::conv_transpose2d(x, weight.transpose(0, 1), /*bias=*/{}, /*stride=*/2);
  return at::conv2d(large, upsampling_weight(layer["resample_filter"], channels), /*bias=*/{},
                    /*stride=*/1, /*padding=*/1, /*dilation=*/1, channels);
}

at::Tensor upsampled_image(const at::Tensor& image, const at::Tensor& filter) {
  const auto channels = image.size(1);
  return at::conv_transpose2d(image, upsampling_weight(filter, channels), /*bias=*/{}, /*stride=*/2,
                              /*padding=*/1, /*output_padding=*/0, channels);
}

/// A modulated convolution with demodulation, noise, bias and activation. w: [N, w_dim].
at::Tensor synthesis_layer(const at::Tensor& x, const at::Tensor& w, const Scope& layer,
                           const std::optional<double>& clamp, bool upsamples) {
  const at::Tensor& weight = layer["weight"];
  const at::Tensor styles = connected(w, layer.within("affine"));
  const at::Tensor energies = weight.square().sum({2, 3});  // [out, in]
  const at::Tensor factors = at::linear(styles.square(), energies).add(kTiny).rsqrt();
  const at::Tensor scaled = x * per_pixel(styles);
  const at::Tensor y = upsamples ? upsampled_convolution(scaled, layer)
                                 : at::conv2d(scaled, weight, /*bias=*/{}, /*stride=*/1,
                                              /*padding=*/1);
  const at::Tensor noise = layer["noise_const"] * layer["noise_strength"];
  return activated(y * per_pixel(factors) + noise + layer["bias"].unsqueeze(1).unsqueeze(2), clamp);
}

at::Tensor rgb_of(const at::Tensor& x, const at::Tensor& w, const Scope& layer,
                  const std::optional<double>& clamp) {
  const at::Tensor& weight = layer["weight"];
  const at::Tensor styles = connected(w, layer.within("affine"), weight_gain(weight));
  const at::Tensor rgb = at::conv2d(x * per_pixel(styles), weight, layer["bias"]);
  return clamp ? rgb.clamp(-*clamp, *clamp) : rgb;
}

}  // namespace

at::Tensor plain_images(const NamedTensors& state, const NetworkConfig& config, const at::Tensor& z,
                        const at::Tensor& labels) {
  const at::Tensor w =
      stylegan::style_vectors({state, "mapping."}, config.mapping_layers, z, labels);
  const auto clamp = config.clamp();
  at::Tensor x;
  at::Tensor image;
  for (int resolution = 4; resolution <= config.resolution.shorter_side(); resolution *= 2) {
    const Scope block(state, "synthesis.b" + std::to_string(resolution) + ".");
    const bool is_first = resolution == 4;
    x = is_first ? block["const"].unsqueeze(0)
                 : synthesis_layer(x, w, block.within("conv0"), clamp, /*upsamples=*/true);
    x = synthesis_layer(x, w, block.within("conv1"), clamp, /*upsamples=*/false);
    const at::Tensor rgb = rgb_of(x, w, block.within("torgb"), clamp);
    image = is_first ? rgb : upsampled_image(image, block["resample_filter"]) + rgb;
  }
  return image;
}

}  // namespace ganscale::models::stylegan2
