#include "models/stylegan2/synthesis.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "kernels/modulated_conv/modulated_conv.h"
#include "kernels/scaled_copies/scaled_copies.h"
#include "kernels/upfirdn2d/upfirdn2d.h"

namespace ganscale::models::stylegan2 {
namespace {

std::shared_ptr<FullyConnected> make_affine(int w_dim, int channels, double gain = 1) {
  return std::make_shared<FullyConnected>(
      w_dim, channels, FullyConnectedOptions{.first_bias = 1, .result_gain = gain});
}

}  // namespace

SynthesisLayer::SynthesisLayer(const SynthesisLayerOptions& options)
    : options_(options),
      affine_(register_module("affine", make_affine(options.w_dim, options.in_channels))),
      weight_(register_parameter("weight",
                                 at::zeros({options.out_channels, options.in_channels, 3, 3}))),
      noise_const_(
          register_buffer("noise_const", at::zeros({options.resolution, options.resolution}))),
      noise_strength_(register_parameter("noise_strength", at::zeros({}))),
      bias_(register_parameter("bias", at::zeros({options.out_channels}))),
      filter_(register_buffer("resample_filter", resampling_filter())) {}

at::Tensor SynthesisLayer::styles(const at::Tensor& w, const LayerParameters& parameters,
                                  at::ScalarType dtype) const {
  const at::Tensor styles = affine_->forward(w, parameters);
  return dtype == at::kHalf ? kernels::styles_for_float16(styles) : styles;
}

at::Tensor SynthesisLayer::exact_weight(at::ScalarType dtype) const {
  return dtype == at::kHalf ? kernels::weight_for_float16(weight_) : weight_;
}

at::Tensor SynthesisLayer::constant_noise() const {
  return noise_const_.view({1, 1, options_.resolution, options_.resolution});
}

kernels::StyledActivationResults SynthesisLayer::forward(const at::Tensor& x,
                                                         const SynthesisLayerInputs& in) const {
  const at::Tensor y = kernels::resampled_convolution2d(
      x, in.weight, filter_, {.up = options_.up, .flip_weight = options_.up > 1});
  return kernels::styled_activation(
      {.y = y,
       .demodulation = kernels::demodulation(in.exact_weight, in.styles),
       .noise = in.noise,
       .strength = noise_strength_,
       .bias = bias_,
       .next_styles = in.next_styles},
      {.gain = kernels::default_gain(kernels::Activation::kLeakyRelu), .clamp = options_.clamp});
}

ToRgbLayer::ToRgbLayer(int in_channels, const NetworkConfig& config)
    : clamp_(config.clamp()),
      affine_(register_module(
          "affine",
          make_affine(config.w_dim, in_channels, 1 / std::sqrt(static_cast<double>(in_channels))))),
      weight_(register_parameter("weight", at::zeros({config.channels, in_channels, 1, 1}))),
      bias_(register_parameter("bias", at::zeros({config.channels}))) {}

at::Tensor ToRgbLayer::styles(const at::Tensor& w, const LayerParameters& parameters) const {
  return affine_->forward(w, parameters);
}

at::Tensor ToRgbLayer::forward(const at::Tensor& x, const at::Tensor& styles) const {
  const auto dtype = x.scalar_type();
  const at::Tensor weights = weight_.flatten(1) * styles.unsqueeze(1);  // [N, channels, in]
  return kernels::bias_act(kernels::mix_channels(x, weights.to(dtype)), bias_.to(dtype),
                           {.clamp = clamp_});
}

SynthesisBlock::SynthesisBlock(int resolution, const NetworkConfig& config)
    : resolution_(resolution), config_(config) {
  const int width = config.width(resolution);
  filter_ = register_buffer("resample_filter", resampling_filter());
  SynthesisLayerOptions layer{.in_channels = width,
                              .out_channels = width,
                              .w_dim = config.w_dim,
                              .resolution = resolution,
                              .clamp = config.clamp()};
  if (resolution == 4) {
    const_ = register_parameter("const", at::zeros({width, 4, 4}));
  } else {
    SynthesisLayerOptions first = layer;
    first.in_channels = config.width(resolution / 2);
    first.up = 2;
    conv0_ = register_module("conv0", std::make_shared<SynthesisLayer>(first));
  }
  conv1_ = register_module("conv1", std::make_shared<SynthesisLayer>(layer));
  torgb_ = register_module("torgb", std::make_shared<ToRgbLayer>(width, config));
}

std::vector<const EqualizedLayer*> SynthesisBlock::affines() const {
  std::vector<const EqualizedLayer*> layers;
  if (conv0_) layers.push_back(&conv0_->affine());
  layers.push_back(&conv1_->affine());
  layers.push_back(&torgb_->affine());
  return layers;
}

BlockStyles SynthesisBlock::styles(std::span<const at::Tensor> w,
                                   std::span<const LayerParameters> parameters) const {
  const auto dtype = config_.compute_type(resolution_, w.front().scalar_type());
  const auto last = static_cast<std::size_t>(layer_count());
  BlockStyles styles;
  if (conv0_) styles.conv0 = conv0_->styles(w[0], parameters[0], dtype);
  styles.conv1 = conv1_->styles(w[last - 1], parameters[last - 1], dtype);
  styles.torgb = torgb_->styles(w[last], parameters[last]);
  return styles;
}

std::vector<at::Tensor> SynthesisBlock::constant_noises() const {
  std::vector<at::Tensor> noises;
  if (conv0_) noises.push_back(conv0_->constant_noise());
  noises.push_back(conv1_->constant_noise());
  return noises;
}

std::vector<SynthesisLayerInputs> SynthesisBlock::layer_inputs(const Inputs& in,
                                                               at::ScalarType dtype) const {
  using kernels::WeightLayout;
  const at::Tensor& styles = in.styles.conv1;
  const bool is_channels_last = !styles.is_cpu() && styles.scalar_type() != dtype;
  std::vector<SynthesisLayerInputs> layers;
  std::vector<kernels::ScaledWeight> weights;
  const auto add = [&](SynthesisLayerInputs layer, WeightLayout layout) {
    weights.push_back({.weight = layer.exact_weight,
                       .layout = is_channels_last ? layout : WeightLayout::kContiguous});
    layers.push_back(std::move(layer));
  };
  if (conv0_) {
    add({.exact_weight = conv0_->exact_weight(dtype),
         .styles = in.styles.conv0,
         .noise = in.noises.front(),
         .next_styles = in.styles.conv1},
        WeightLayout::kTransposedChannelsLast);
  }
  add({.exact_weight = conv1_->exact_weight(dtype),
       .styles = in.styles.conv1,
       .noise = in.noises.back(),
       .next_styles = in.next_styles},
      WeightLayout::kChannelsLast);
  const auto computed = kernels::scaled_copies(weights, dtype);
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].weight = computed[i];
  return layers;
}

SynthesisBlock::State SynthesisBlock::forward(const State& below, const Inputs& in) const {
  const auto parameter_dtype = in.styles.conv1.scalar_type();
  const auto dtype = config_.compute_type(resolution_, parameter_dtype);
  const auto layers = layer_inputs(in, dtype);
  at::Tensor x = below.features;
  if (!conv0_) {
    const at::Tensor batch = const_.unsqueeze(0).expand({in.styles.conv1.size(0), -1, -1, -1});
    x = kernels::scale_channels(batch, in.styles.conv1);
  }
  x = for_convolutions(x, dtype, parameter_dtype);
  if (conv0_) x = conv0_->forward(x, layers.front()).scaled;
  const auto [features, scaled] = conv1_->forward(x, layers.back());
  State state{.features = scaled,
              .image = torgb_->forward(features, in.styles.torgb).to(parameter_dtype)};
  if (below.image.defined()) {
    state.image = kernels::upsample2d(below.image, filter_) + state.image;
  }
  return state;
}

Synthesis::Synthesis(const NetworkConfig& config) {
  for (int resolution = 4; resolution <= config.resolution; resolution *= 2) {
    blocks_.push_back(register_module("b" + std::to_string(resolution),
                                      std::make_shared<SynthesisBlock>(resolution, config)));
  }
}

std::vector<BlockStyles> Synthesis::styles(const at::Tensor& w) const {
  std::vector<const EqualizedLayer*> layers;
  for (const auto& block : blocks_) {
    for (const EqualizedLayer* affine : block->affines()) layers.push_back(affine);
  }
  const auto parameters = parameters_for(layers, w.scalar_type());
  const auto vectors = w.unbind(1);
  std::vector<BlockStyles> styles;
  std::span<const LayerParameters> rest = parameters;
  std::span<const at::Tensor> w_rest = vectors;
  for (const auto& block : blocks_) {
    styles.push_back(block->styles(w_rest, rest));
    // The w vector of the toRGB layer is also that of the next block's first layer.
    const auto count = static_cast<std::size_t>(block->layer_count());
    w_rest = w_rest.subspan(count);
    rest = rest.subspan(count + 1);
  }
  return styles;
}

std::vector<std::vector<at::Tensor>> Synthesis::noises(std::int64_t N,
                                                       const at::TensorOptions& options,
                                                       kernels::RandomStream* noise) const {
  std::vector<std::vector<at::Tensor>> noises;
  std::int64_t pixels = 0;
  for (const auto& block : blocks_) {
    noises.push_back(block->constant_noises());
    for (const at::Tensor& constant : noises.back()) pixels += constant.numel();
  }
  if (noise == nullptr) return noises;
  const at::Tensor drawn = noise->normal({N, pixels}, options);
  std::int64_t first = 0;
  for (std::vector<at::Tensor>& of_block : noises) {
    for (at::Tensor& one : of_block) {
      const auto count = one.numel();
      one = drawn.narrow(1, first, count).view({N, 1, one.size(2), one.size(3)});
      first += count;
    }
  }
  return noises;
}

at::Tensor Synthesis::forward(const at::Tensor& w, kernels::RandomStream* noise) const {
  const auto all_styles = styles(w);
  const auto all_noises = noises(w.size(0), w.options(), noise);
  SynthesisBlock::State state;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const bool is_last = i + 1 == blocks_.size();
    state = blocks_[i]->forward(state,
                                {.styles = all_styles[i],
                                 .next_styles = is_last ? at::Tensor() : all_styles[i + 1].first(),
                                 .noises = all_noises[i]});
  }
  return state.image.contiguous();
}

}  // namespace ganscale::models::stylegan2
