#include "models/stylegan2/layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <map>

#include "kernels/upfirdn2d/upfirdn2d.h"

namespace ganscale::models::stylegan2 {

at::Tensor resampling_filter() { return kernels::setup_filter({1, 3, 3, 1}); }

at::Tensor for_convolutions(const at::Tensor& x, at::ScalarType dtype,
                            at::ScalarType parameter_dtype) {
  const bool is_wide_on_gpu = !x.is_cpu() && dtype == parameter_dtype;
  const auto layout =
      is_wide_on_gpu ? at::MemoryFormat::Contiguous : at::MemoryFormat::ChannelsLast;
  if (x.scalar_type() == dtype) return x.contiguous(layout);
  return x.to(dtype, /*non_blocking=*/false, /*copy=*/false, layout);
}

std::vector<at::Tensor> scaled_by_type(const std::vector<TypedWeight>& weights) {
  std::map<at::ScalarType, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < weights.size(); ++i) places[weights[i].dtype].push_back(i);
  std::vector<at::Tensor> result(weights.size());
  for (const auto& [dtype, of_type] : places) {
    std::vector<kernels::ScaledWeight> wanted;
    for (const std::size_t place : of_type) wanted.push_back(weights[place].weight);
    const auto copies = kernels::scaled_copies(wanted, dtype);
    for (std::size_t i = 0; i < copies.size(); ++i) result[of_type[i]] = copies[i];
  }
  return result;
}

std::vector<LayerParameters> parameters_for(const std::vector<TypedLayer>& layers) {
  std::vector<TypedWeight> wanted;
  for (const auto& [layer, dtype] : layers) {
    if (layer == nullptr) continue;
    const at::Tensor& weight = layer->weight();
    const bool is_channels_last = !weight.is_cpu() && weight.scalar_type() != dtype;
    wanted.push_back({{weight, layer->weight_gain(),
                       is_channels_last ? kernels::WeightLayout::kChannelsLast
                                        : kernels::WeightLayout::kContiguous},
                      dtype});
    if (layer->bias().defined()) wanted.push_back({{layer->bias(), layer->bias_gain()}, dtype});
  }
  const auto scaled = scaled_by_type(wanted);
  std::vector<LayerParameters> parameters;
  auto next = scaled.begin();
  for (const TypedLayer& one : layers) {
    parameters.emplace_back();
    if (one.layer == nullptr) continue;
    parameters.back().weight = *next++;
    if (one.layer->bias().defined()) parameters.back().bias = *next++;
  }
  return parameters;
}

std::vector<LayerParameters> parameters_for(const std::vector<const EqualizedLayer*>& layers,
                                            at::ScalarType dtype) {
  std::vector<TypedLayer> typed;
  for (const EqualizedLayer* layer : layers) typed.push_back({layer, dtype});
  return parameters_for(typed);
}

FullyConnected::FullyConnected(std::int64_t in_features, std::int64_t out_features,
                               const FullyConnectedOptions& options)
    : EqualizedLayer(options.result_gain * options.rate_multiplier /
                         std::sqrt(static_cast<double>(in_features)),
                     options.result_gain * options.rate_multiplier),
      options_(options) {
  weight_ = register_parameter("weight", at::zeros({out_features, in_features}));
  bias_ = register_parameter("bias", at::full({out_features}, options.first_bias));
}

at::Tensor FullyConnected::forward(const at::Tensor& x) const {
  return forward(x, parameters_for({this}, x.scalar_type()).front());
}

at::Tensor FullyConnected::forward(const at::Tensor& x, const LayerParameters& parameters) const {
  const at::Tensor weight = parameters.weight.t();
  if (options_.activation == kernels::Activation::kLinear) {
    return at::addmm(parameters.bias, x, weight);
  }
  return kernels::bias_act(
      at::matmul(x, weight), parameters.bias,
      {.activation = options_.activation, .gain = kernels::default_gain(options_.activation)});
}

ConvolutionLayer::ConvolutionLayer(std::int64_t in_channels, std::int64_t out_channels,
                                   const ConvolutionLayerOptions& options)
    : EqualizedLayer(
          1 / std::sqrt(static_cast<double>(in_channels * options.kernel * options.kernel)),
          /*bias_gain=*/1),
      options_(options) {
  weight_ = register_parameter(
      "weight", at::zeros({out_channels, in_channels, options.kernel, options.kernel}));
  filter_ = register_buffer("resample_filter", resampling_filter());
  if (options.bias) bias_ = register_parameter("bias", at::zeros({out_channels}));
}

at::Tensor ConvolutionLayer::forward(const at::Tensor& x, const LayerParameters& parameters,
                                     double gain) const {
  const at::Tensor y =
      kernels::resampled_convolution2d(x, parameters.weight, filter_, {.down = options_.down});
  kernels::BiasAct act{.activation = options_.activation,
                       .gain = kernels::default_gain(options_.activation) * gain};
  if (options_.clamp) act.clamp = *options_.clamp * gain;
  return kernels::bias_act(y, parameters.bias, act);
}

}  // namespace ganscale::models::stylegan2
