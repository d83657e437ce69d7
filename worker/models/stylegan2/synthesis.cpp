#include "models/stylegan2/synthesis.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "kernels/modulated_conv/modulated_conv.h"
#include "kernels/upfirdn2d/upfirdn2d.h"

namespace ganscale::models::stylegan2 {
namespace {

/// For a single image without gradients, a weight of its own is smaller than scaled features.
bool takes_own_weight(const at::Tensor& x) { return x.size(0) == 1 && !at::GradMode::is_enabled(); }

std::shared_ptr<FullyConnected> make_affine(int w_dim, int channels) {
  return std::make_shared<FullyConnected>(w_dim, channels, FullyConnectedOptions{.first_bias = 1});
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

at::Tensor SynthesisLayer::forward(const at::Tensor& x, const at::Tensor& w,
                                   kernels::RandomStream* noise) const {
  const auto activation = kernels::Activation::kLeakyRelu;
  const at::Tensor y =
      kernels::modulated_conv2d(x, weight_, affine_->forward(w), filter_,
                                {.resampling = {.up = options_.up, .flip_weight = options_.up > 1},
                                 .fused = takes_own_weight(x)});
  return kernels::bias_act(add_noise(y, noise), bias_.to(x.scalar_type()),
                           {.activation = activation,
                            .gain = kernels::default_gain(activation),
                            .clamp = options_.clamp});
}

at::Tensor SynthesisLayer::add_noise(const at::Tensor& x, kernels::RandomStream* noise) const {
  at::Tensor values = noise_const_;
  if (noise != nullptr) {
    values = noise->normal({x.size(0), 1, x.size(2), x.size(3)}, noise_const_.options());
  }
  return x + (values * noise_strength_).to(x.scalar_type());
}

ToRgbLayer::ToRgbLayer(int in_channels, const NetworkConfig& config)
    : weight_gain_(1 / std::sqrt(static_cast<double>(in_channels))),
      clamp_(config.clamp()),
      affine_(register_module("affine", make_affine(config.w_dim, in_channels))),
      weight_(register_parameter("weight", at::zeros({config.channels, in_channels, 1, 1}))),
      bias_(register_parameter("bias", at::zeros({config.channels}))) {}

at::Tensor ToRgbLayer::forward(const at::Tensor& x, const at::Tensor& w) const {
  const at::Tensor styles = affine_->forward(w) * weight_gain_;
  const at::Tensor y = kernels::modulated_conv2d(
      x, weight_, styles, {}, {.demodulate = false, .fused = takes_own_weight(x)});
  return kernels::bias_act(y, bias_.to(x.scalar_type()), {.clamp = clamp_});
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

SynthesisBlock::State SynthesisBlock::forward(const State& below, const at::Tensor& w,
                                              kernels::RandomStream* noise) const {
  const auto parameter_dtype = w.scalar_type();
  const auto dtype = config_.compute_type(resolution_, parameter_dtype);
  State state;
  if (conv0_) {
    state.features = for_convolutions(below.features, dtype, parameter_dtype);
    state.features = conv0_->forward(state.features, w.select(1, 0), noise);
  } else {
    const at::Tensor batch = const_.unsqueeze(0).expand({w.size(0), -1, -1, -1});
    state.features = for_convolutions(batch, dtype, parameter_dtype);
  }
  const int layers = layer_count();
  state.features = conv1_->forward(state.features, w.select(1, layers - 1), noise);
  state.image = torgb_->forward(state.features, w.select(1, layers)).to(parameter_dtype);
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

at::Tensor Synthesis::forward(const at::Tensor& w, kernels::RandomStream* noise) const {
  SynthesisBlock::State state;
  std::int64_t first = 0;
  for (const auto& block : blocks_) {
    // The w vector of the toRGB layer is also that of the next block's first layer.
    const int layers = block->layer_count();
    state = block->forward(state, w.narrow(1, first, layers + 1), noise);
    first += layers;
  }
  return state.image.contiguous();
}

}  // namespace ganscale::models::stylegan2
