#include "models/stylegan2/synthesis.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "kernels/grouped_products/grouped_products.h"
#include "kernels/modulated_conv/modulated_conv.h"
#include "kernels/output_skip/output_skip.h"
#include "kernels/upfirdn2d/upfirdn2d.h"

namespace ganscale::models::stylegan2 {
namespace {

std::shared_ptr<stylegan::FullyConnected> make_affine(int w_dim, int channels, double gain = 1) {
  return std::make_shared<stylegan::FullyConnected>(
      w_dim, channels, stylegan::FullyConnectedOptions{.first_bias = {1}, .result_gain = gain});
}

}  // namespace

SynthesisLayer::SynthesisLayer(const Options& options)
    : options_(options),
      affine_(register_module("affine", make_affine(options.w_dim, options.in_channels))),
      weight_(register_parameter("weight",
                                 at::zeros({options.out_channels, options.in_channels, 3, 3}))),
      noise_const_(register_buffer(
          "noise_const", at::zeros({options.resolution.height, options.resolution.width}))),
      noise_strength_(register_parameter("noise_strength", at::zeros({}))),
      bias_(register_parameter("bias", at::zeros({options.out_channels}))),
      filter_(register_buffer("resample_filter", stylegan::resampling_filter())) {}

at::Tensor SynthesisLayer::exact_weight(at::ScalarType dtype) const {
  return dtype == at::kHalf ? kernels::weight_for_float16(weight_) : weight_;
}

kernels::WeightLayout SynthesisLayer::weight_layout(at::ScalarType dtype) const {
  const auto format = layout().layout_of(weight_.device().type(), dtype).weights;
  if (format == at::MemoryFormat::Contiguous) return kernels::WeightLayout::kContiguous;
  return options_.up > 1 ? kernels::WeightLayout::kTransposedChannelsLast
                         : kernels::WeightLayout::kChannelsLast;
}

at::Tensor SynthesisLayer::constant_noise() const { return noise_const_.unsqueeze(0).unsqueeze(0); }

kernels::StyledActivationResults SynthesisLayer::forward(const at::Tensor& x,
                                                         const Inputs& in) const {
  const at::Tensor y = kernels::resampled_convolution2d(
      x, in.weight, filter_, {.up = options_.up, .flip_weight = options_.up > 1});
  return kernels::styled_activation(
      {.y = y,
       .demodulation = in.demodulation,
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

at::Tensor ToRgbLayer::forward(const at::Tensor& x, const at::Tensor& weights,
                               const at::Tensor& image) const {
  const at::Tensor rgb = kernels::mix_channels(x, weights);
  return kernels::output_skip({.rgb = rgb, .bias = bias_, .image = image}, clamp_);
}

SynthesisBlock::SynthesisBlock(int resolution, const NetworkConfig& config)
    : resolution_(resolution), config_(config) {
  const int width = config.width(resolution);
  filter_ = register_buffer("resample_filter", stylegan::resampling_filter());
  SynthesisLayer::Options layer{.in_channels = width,
                                .out_channels = width,
                                .w_dim = config.w_dim,
                                .resolution = config.resolution.scaled_to(resolution),
                                .clamp = config.clamp()};
  if (resolution == 4) {
    const auto [height, columns] = config.lowest_size();
    const_ = register_parameter("const", at::zeros({width, height, columns}));
  } else {
    SynthesisLayer::Options first = layer;
    first.in_channels = config.width(resolution / 2);
    first.up = 2;
    conv0_ = register_module("conv0", std::make_shared<SynthesisLayer>(first));
  }
  conv1_ = register_module("conv1", std::make_shared<SynthesisLayer>(layer));
  torgb_ = register_module("torgb", std::make_shared<ToRgbLayer>(width, config));
}

std::vector<const SynthesisLayer*> SynthesisBlock::layers() const {
  if (!conv0_) return {conv1_.get()};
  return {conv0_.get(), conv1_.get()};
}

at::ScalarType SynthesisBlock::compute_type(at::ScalarType parameters) const {
  return config_.compute_type(resolution_, parameters);
}

SynthesisBlock::State SynthesisBlock::forward(const State& below, const Inputs& in) const {
  at::Tensor x = below.features;
  if (!conv0_) {
    const at::Tensor batch = const_.unsqueeze(0).expand({in.styles.size(0), -1, -1, -1});
    x = kernels::scale_channels(batch, in.styles);
  }
  x = laid_out(x, compute_type(in.styles.scalar_type()), layout());
  if (conv0_) x = conv0_->forward(x, in.layers.front()).scaled;
  const auto [features, scaled] = conv1_->forward(x, in.layers.back());
  const at::Tensor image =
      below.image.defined() ? kernels::upsample2d(below.image, filter_) : at::Tensor();
  return {.features = scaled, .image = torgb_->forward(features, in.rgb_weights, image)};
}

Synthesis::Synthesis(const NetworkConfig& config) {
  for (int resolution = 4; resolution <= config.resolution.shorter_side(); resolution *= 2) {
    blocks_.push_back(register_module("b" + std::to_string(resolution),
                                      std::make_shared<SynthesisBlock>(resolution, config)));
  }
}

std::vector<Synthesis::Affine> Synthesis::affines() const {
  std::vector<Affine> affines;
  std::vector<Affine> of_rgb;
  std::int64_t vector = 0;
  for (const auto& block : blocks_) {
    for (const SynthesisLayer* layer : block->layers()) {
      affines.push_back({&layer->affine(), vector++});
    }
    // The style of the image is also that of the next block's first layer.
    of_rgb.push_back({&block->torgb().affine(), vector});
  }
  affines.insert(affines.end(), of_rgb.begin(), of_rgb.end());
  return affines;
}

at::ScalarType Synthesis::type_of_parameters() const {
  return blocks_.front()->layers().front()->affine().weight().scalar_type();
}

bool Synthesis::keeps_convolutions() const {
  return std::ranges::none_of(blocks_, [this](const auto& block) {
    return block->compute_type(type_of_parameters()) == at::kHalf;
  });
}

std::vector<stylegan::LayerParameters> Synthesis::affine_parameters() const {
  std::vector<const stylegan::EqualizedLayer*> layers;
  for (const Affine& affine : affines()) layers.push_back(affine.layer);
  return stylegan::parameters_for(layers, type_of_parameters(), &kept_affines_);
}

void Synthesis::prepare_weights() const {
  if (keeps_convolutions()) {
    layer_weights();
  } else {
    affine_parameters();
  }
}

Synthesis::LayerWeights Synthesis::layer_weights() const {
  std::vector<stylegan::TypedWeight> typed;
  for (const auto& block : blocks_) {
    const auto dtype = block->compute_type(type_of_parameters());
    for (const SynthesisLayer* layer : block->layers()) {
      typed.push_back(
          {{.weight = layer->exact_weight(dtype), .layout = layer->weight_layout(dtype)}, dtype});
    }
  }
  auto [copies, energies] = stylegan::copies_and_energies_by_type(
      typed, keeps_convolutions() ? &kept_convolutions_ : nullptr);
  return {.of_affines = affine_parameters(),
          .of_convolutions = std::move(copies),
          .energies = std::move(energies)};
}

Synthesis::LayerStyles Synthesis::styles(
    const at::Tensor& w, const std::vector<stylegan::LayerParameters>& of_affines) const {
  kernels::GroupedMatrices matrices;
  for (const Affine& affine : affines()) {
    matrices.first_columns.push_back(affine.vector * w.size(2));
  }
  std::vector<at::Tensor> biases;
  for (const stylegan::LayerParameters& parameters : of_affines) {
    matrices.matrices.push_back(parameters.weight);
    biases.push_back(parameters.bias);
  }
  const at::Tensor all = kernels::grouped_products(w.flatten(1), matrices) + at::cat(biases);
  biases.resize(biases.size() - blocks_.size());
  std::vector<std::int64_t> widths;
  std::int64_t width = 0;
  for (const at::Tensor& bias : biases) {
    widths.push_back(bias.size(0));
    width += widths.back();
  }
  const auto parts = all.split_with_sizes({width, all.size(1) - width}, 1);
  return {.of_layers = parts[0], .each = parts[0].split_with_sizes(widths, 1), .of_rgb = parts[1]};
}

void Synthesis::scale_for_float16(LayerStyles& styles) const {
  bool any = false;
  auto place = styles.each.begin();
  for (const auto& block : blocks_) {
    const bool is_float16 = block->compute_type(styles.of_rgb.scalar_type()) == at::kHalf;
    for (std::size_t i = 0; i < block->layers().size(); ++i, ++place) {
      if (is_float16) *place = kernels::styles_for_float16(*place);
    }
    any = any || is_float16;
  }
  if (any) styles.of_layers = at::cat(styles.each, 1);
}

std::vector<at::Tensor> Synthesis::rgb_weights(const at::Tensor& styles) const {
  // Blocks of one type follow one another: their weights are converted together.
  struct Run {
    at::ScalarType dtype;
    std::vector<std::int64_t> widths = {};
    std::int64_t width = 0;
  };
  std::vector<Run> runs;
  std::vector<at::Tensor> weights;
  for (const auto& block : blocks_) {
    const auto dtype = block->compute_type(styles.scalar_type());
    if (runs.empty() || runs.back().dtype != dtype) runs.push_back({dtype});
    weights.push_back(block->torgb().weight());
    runs.back().widths.push_back(weights.back().size(1));
    runs.back().width += weights.back().size(1);
  }
  std::vector<std::int64_t> widths;
  for (const Run& run : runs) widths.push_back(run.width);
  const at::Tensor all = at::cat(weights, 1) * styles.unsqueeze(1);  // [N, channels, sum of in]
  const auto of_runs = all.split_with_sizes(widths, 2);
  std::vector<at::Tensor> result;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto each = of_runs[i].to(runs[i].dtype).split_with_sizes(runs[i].widths, 2);
    result.insert(result.end(), each.begin(), each.end());
  }
  return result;
}

std::vector<SynthesisLayer::Inputs> Synthesis::layer_inputs(const LayerStyles& styles,
                                                            const LayerWeights& weights,
                                                            RandomStream* noise) const {
  std::vector<SynthesisLayer::Inputs> inputs;
  std::vector<std::int64_t> first = {0};
  std::vector<std::int64_t> widths;
  for (const at::Tensor& energies : weights.energies) {
    first.push_back(first.back() + energies.size(1));
    widths.push_back(energies.size(0));
  }
  first.pop_back();
  const auto factors =
      kernels::demodulations(weights.energies, styles.of_layers, first).split_with_sizes(widths, 1);
  const auto all_noises = noises(styles.of_rgb.size(0), styles.of_rgb.options(), noise);
  const std::size_t count = weights.of_convolutions.size();
  for (std::size_t i = 0; i < count; ++i) {
    inputs.push_back({.weight = weights.of_convolutions[i],
                      .demodulation = factors[i],
                      .noise = all_noises[i],
                      .next_styles = i + 1 < count ? styles.each[i + 1] : at::Tensor()});
  }
  return inputs;
}

std::vector<at::Tensor> Synthesis::noises(std::int64_t N, const at::TensorOptions& options,
                                          RandomStream* noise) const {
  std::vector<at::Tensor> noises;
  std::int64_t pixels = 0;
  for (const auto& block : blocks_) {
    for (const SynthesisLayer* layer : block->layers()) {
      noises.push_back(layer->constant_noise());
      pixels += noises.back().numel();
    }
  }
  if (noise == nullptr) return noises;
  const at::Tensor drawn = noise->normal({N, pixels}, options);
  std::int64_t first = 0;
  for (at::Tensor& one : noises) {
    const auto count = one.numel();
    one = drawn.narrow(1, first, count).view({N, 1, one.size(2), one.size(3)});
    first += count;
  }
  return noises;
}

at::Tensor Synthesis::forward(const at::Tensor& w, RandomStream* noise) const {
  const LayerWeights weights = layer_weights();
  LayerStyles styles = this->styles(w, weights.of_affines);
  scale_for_float16(styles);
  const auto inputs = layer_inputs(styles, weights, noise);
  const auto of_rgb = rgb_weights(styles.of_rgb);
  SynthesisBlock::State state;
  std::size_t layer = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::size_t end = layer + blocks_[i]->layers().size();
    state = blocks_[i]->forward(state, {.styles = styles.each[layer],
                                        .layers = {inputs.begin() + layer, inputs.begin() + end},
                                        .rgb_weights = of_rgb[i]});
    layer = end;
  }
  return state.image.contiguous();
}

}  // namespace ganscale::models::stylegan2
