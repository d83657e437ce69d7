#include "models/stylegan2/layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "kernels/upfirdn2d/upfirdn2d.h"

namespace ganscale::models::stylegan2 {

at::Tensor resampling_filter() { return kernels::setup_filter({1, 3, 3, 1}); }

at::Tensor for_convolutions(const at::Tensor& x, at::ScalarType dtype,
                            at::ScalarType parameter_dtype) {
  const bool is_wide_on_gpu = !x.is_cpu() && dtype == parameter_dtype;
  return x.to(dtype).contiguous(is_wide_on_gpu ? at::MemoryFormat::Contiguous
                                               : at::MemoryFormat::ChannelsLast);
}

FullyConnected::FullyConnected(std::int64_t in_features, std::int64_t out_features,
                               const FullyConnectedOptions& options)
    : options_(options),
      weight_gain_(options.rate_multiplier / std::sqrt(static_cast<double>(in_features))),
      weight_(register_parameter("weight", at::zeros({out_features, in_features}))),
      bias_(register_parameter("bias", at::full({out_features}, options.first_bias))) {}

at::Tensor FullyConnected::forward(const at::Tensor& x) const {
  const auto dtype = x.scalar_type();
  const at::Tensor weight = (weight_ * weight_gain_).to(dtype);
  const at::Tensor bias =
      (options_.rate_multiplier == 1 ? bias_ : bias_ * options_.rate_multiplier).to(dtype);
  if (options_.activation == kernels::Activation::kLinear) return at::addmm(bias, x, weight.t());
  return kernels::bias_act(
      at::matmul(x, weight.t()), bias,
      {.activation = options_.activation, .gain = kernels::default_gain(options_.activation)});
}

ConvolutionLayer::ConvolutionLayer(std::int64_t in_channels, std::int64_t out_channels,
                                   const ConvolutionLayerOptions& options)
    : options_(options),
      weight_gain_(1 /
                   std::sqrt(static_cast<double>(in_channels * options.kernel * options.kernel))),
      weight_(register_parameter(
          "weight", at::zeros({out_channels, in_channels, options.kernel, options.kernel}))),
      filter_(register_buffer("resample_filter", resampling_filter())) {
  if (options.bias) bias_ = register_parameter("bias", at::zeros({out_channels}));
}

at::Tensor ConvolutionLayer::forward(const at::Tensor& x, double gain) const {
  const auto dtype = x.scalar_type();
  const at::Tensor weight = (weight_ * weight_gain_).to(dtype);
  const at::Tensor y =
      kernels::resampled_convolution2d(x, weight, filter_, {.down = options_.down});
  kernels::BiasAct act{.activation = options_.activation,
                       .gain = kernels::default_gain(options_.activation) * gain};
  if (options_.clamp) act.clamp = *options_.clamp * gain;
  return kernels::bias_act(y, bias_.defined() ? bias_.to(dtype) : bias_, act);
}

}  // namespace ganscale::models::stylegan2
