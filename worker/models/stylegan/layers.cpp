#include "models/stylegan/layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "kernels/upfirdn2d/upfirdn2d.h"

namespace ganscale::models::stylegan {
namespace {

/// Weights that layers take in one type, and their places among all.
struct WeightsOfType {
  at::ScalarType dtype;
  std::vector<std::size_t> places = {};
  std::vector<kernels::ScaledWeight> weights = {};
};

std::vector<WeightsOfType> by_type(const std::vector<TypedWeight>& weights) {
  std::vector<WeightsOfType> groups;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    auto group = std::ranges::find(groups, weights[i].dtype, &WeightsOfType::dtype);
    if (group == groups.end()) group = groups.insert(groups.end(), {weights[i].dtype});
    group->places.push_back(i);
    group->weights.push_back(weights[i].weight);
  }
  return groups;
}

bool is_linear(const ConvolutionLayerOptions& options) {
  return options.activation == kernels::Activation::kLinear;
}

kernels::KeptResults* kept_of(const WeightsOfType& group, KeptByType* kept) {
  return kept != nullptr ? &(*kept)[group.dtype] : nullptr;
}

}  // namespace

at::Tensor resampling_filter() { return kernels::setup_filter({1, 3, 3, 1}); }

std::vector<at::Tensor> scaled_by_type(const std::vector<TypedWeight>& weights, KeptByType* kept) {
  std::vector<at::Tensor> result(weights.size());
  for (const WeightsOfType& group : by_type(weights)) {
    const auto copies = kernels::scaled_copies(group.weights, group.dtype, kept_of(group, kept));
    for (std::size_t i = 0; i < copies.size(); ++i) result[group.places[i]] = copies[i];
  }
  return result;
}

kernels::CopiesAndEnergies copies_and_energies_by_type(const std::vector<TypedWeight>& weights,
                                                       KeptByType* kept) {
  kernels::CopiesAndEnergies result{std::vector<at::Tensor>(weights.size()),
                                    std::vector<at::Tensor>(weights.size())};
  for (const WeightsOfType& group : by_type(weights)) {
    const auto [copies, energies] =
        kernels::copies_and_energies(group.weights, group.dtype, kept_of(group, kept));
    for (std::size_t i = 0; i < copies.size(); ++i) {
      result.copies[group.places[i]] = copies[i];
      result.energies[group.places[i]] = energies[i];
    }
  }
  return result;
}

std::vector<LayerParameters> parameters_for(const std::vector<TypedLayer>& layers,
                                            KeptByType* kept) {
  std::vector<TypedWeight> wanted;
  for (const auto& [layer, dtype] : layers) {
    if (layer == nullptr) continue;
    const at::Tensor& weight = layer->weight();
    const auto format = layer->layout().layout_of(weight.device().type(), dtype).weights;
    wanted.push_back(
        {{weight, layer->weight_gain(),
          format == at::MemoryFormat::ChannelsLast ? kernels::WeightLayout::kChannelsLast
                                                   : kernels::WeightLayout::kContiguous},
         dtype});
    if (layer->bias().defined()) wanted.push_back({{layer->bias(), layer->bias_gain()}, dtype});
  }
  const auto scaled = scaled_by_type(wanted, kept);
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
                                            at::ScalarType dtype, KeptByType* kept) {
  std::vector<TypedLayer> typed;
  for (const EqualizedLayer* layer : layers) typed.push_back({layer, dtype});
  return parameters_for(typed, kept);
}

FullyConnected::FullyConnected(std::int64_t in_features, std::int64_t out_features,
                               const FullyConnectedOptions& options)
    : EqualizedLayer(options.result_gain * options.rate_multiplier /
                         std::sqrt(static_cast<double>(in_features)),
                     options.result_gain * options.rate_multiplier),
      options_(options) {
  weight_ = register_parameter("weight", at::zeros({out_features, in_features}));
  const at::Tensor bias = at::tensor(options.first_bias, at::kFloat) / options.rate_multiplier;
  bias_ = register_parameter("bias", bias.expand({out_features}).clone());
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
          (is_linear(options) ? options.result_gain : 1) /
              std::sqrt(static_cast<double>(in_channels * options.kernel * options.kernel)),
          /*bias_gain=*/1),
      options_(options) {
  check(!is_linear(options) || !(options.bias || options.clamp),
        "a linear convolution has neither bias nor clamp");
  weight_ = register_parameter(
      "weight", at::zeros({out_channels, in_channels, options.kernel, options.kernel}));
  filter_ = register_buffer("resample_filter", resampling_filter());
  if (options.bias) bias_ = register_parameter("bias", at::zeros({out_channels}));
}

at::Tensor ConvolutionLayer::forward(const at::Tensor& x, const LayerParameters& parameters,
                                     const at::Tensor& addend) const {
  const at::Tensor y =
      convolved({x, parameters.weight}, layout(), [&](const ConvolutionOperands& in) {
        return kernels::resampled_convolution2d(in.x, in.weight, filter_, {.down = options_.down});
      });
  if (is_linear(options_)) return y;
  kernels::BiasAct act{.activation = options_.activation,
                       .gain = kernels::default_gain(options_.activation) * options_.result_gain};
  if (options_.clamp) act.clamp = *options_.clamp * options_.result_gain;
  return kernels::bias_act(y, parameters.bias, act, addend);
}

}  // namespace ganscale::models::stylegan
