#include "models/stylegan3/synthesis_layer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "kernels/filtered_lrelu/filtered_lrelu.h"
#include "models/stylegan3/filter_design.h"
#include "models/stylegan3/modulated_convolution.h"

namespace ganscale::models::stylegan3 {
namespace {

std::shared_ptr<stylegan::FullyConnected> make_affine(const SynthesisLayerOptions& options) {
  const int channels = options.layer.in.channels;
  const double gain = options.layer.is_to_rgb ? 1 / std::sqrt(static_cast<double>(channels)) : 1.0;
  return std::make_shared<stylegan::FullyConnected>(
      options.w_dim, channels,
      stylegan::FullyConnectedOptions{.first_bias = {1}, .result_gain = gain});
}

at::Tensor up_filter(const Layer& layer) {
  return design_low_pass({.taps = layer.up_taps(),
                          .cutoff = layer.in.cutoff,
                          .transition = 2 * layer.in.half_width,
                          .sampling_rate = static_cast<double>(layer.activated_rate())});
}

at::Tensor down_filter(const Layer& layer) {
  return design_low_pass({.taps = layer.down_taps(),
                          .cutoff = layer.out.cutoff,
                          .transition = 2 * layer.out.half_width,
                          .sampling_rate = static_cast<double>(layer.activated_rate()),
                          .is_radial = layer.has_radial_down_filter()});
}

kernels::FilteredLrelu activation_of(const Layer& layer, const std::optional<double>& clamp) {
  const Padding x = layer.padding(layer.in.size.width, layer.out.size.width);
  const Padding y = layer.padding(layer.in.size.height, layer.out.size.height);
  return {.up = layer.up(),
          .down = layer.down(),
          .pad_left = x.before,
          .pad_right = x.after,
          .pad_top = y.before,
          .pad_bottom = y.after,
          .gain = layer.is_to_rgb ? 1 : std::sqrt(2.0),
          .slope = layer.is_to_rgb ? 1 : 0.2,
          .clamp = clamp};
}

}  // namespace

SynthesisLayer::SynthesisLayer(const SynthesisLayerOptions& options)
    : options_(options), affine_(register_module("affine", make_affine(options))) {
  const Layer& layer = options.layer;
  weight_ = register_parameter(
      "weight", at::zeros({layer.out.channels, layer.in.channels, layer.kernel, layer.kernel}));
  bias_ = register_parameter("bias", at::zeros({layer.out.channels}));
  magnitude_ = register_buffer("magnitude_ema", at::ones({}));
  if (const at::Tensor filter = up_filter(layer); filter.defined()) {
    up_filter_ = register_buffer("up_filter", filter.to(at::kFloat));
  }
  if (const at::Tensor filter = down_filter(layer); filter.defined()) {
    down_filter_ = register_buffer("down_filter", filter.to(at::kFloat));
  }
}

void SynthesisLayer::track_magnitude(const at::Tensor& x) const {
  const at::NoGradGuard no_grad;
  const at::Tensor mean = x.detach().to(magnitude_.scalar_type()).square().mean();
  if (options_.ranks != nullptr && options_.ranks->size() > 1) {
    options_.ranks->all_reduce_sum(mean);
    mean.div_(options_.ranks->size());
  }
  magnitude_.copy_(mean.lerp(magnitude_, options_.magnitude_beta));
}

at::Tensor SynthesisLayer::forward(const at::Tensor& x, const at::Tensor& w, bool tracks) const {
  if (tracks) track_magnitude(x);
  const Layer& layer = options_.layer;
  const bool is_low = layer.has_low_precision && options_.low_precision_type;
  const auto dtype = is_low ? *options_.low_precision_type : weight_.scalar_type();
  const at::Tensor y =
      modulated_convolution(laid_out(x, dtype, layout()), weight_, affine_->forward(w),
                            {.demodulates = !layer.is_to_rgb,
                             .padding = layer.kernel - 1,
                             .input_gain = magnitude_.rsqrt()},
                            layout());
  return kernels::filtered_lrelu(y, bias_.to(dtype), {up_filter_, down_filter_},
                                 activation_of(layer, options_.clamp));
}

}  // namespace ganscale::models::stylegan3
