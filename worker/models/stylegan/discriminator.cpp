#include "models/stylegan/discriminator.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/upfirdn2d/upfirdn2d.h"

namespace ganscale::models::stylegan {
namespace {

constexpr int kLabelLayers = 8;  // of the mapping of labels

std::shared_ptr<ConvolutionLayer> make_fromrgb(const DiscriminatorConfig& config, int resolution,
                                               const std::optional<double>& clamp) {
  return std::make_shared<ConvolutionLayer>(config.channels, config.width(resolution),
                                            ConvolutionLayerOptions{.kernel = 1, .clamp = clamp});
}

}  // namespace

DiscriminatorBlock::DiscriminatorBlock(int resolution, const DiscriminatorConfig& config)
    : resolution_(resolution), config_(config) {
  const int width = config.width(resolution);
  const int next_width = config.width(resolution / 2);
  filter_ = register_buffer("resample_filter", resampling_filter());
  const bool is_first = resolution == config.resolution.shorter_side();
  if (is_first || config.architecture == Architecture::kSkip) {
    fromrgb_ = register_module("fromrgb", make_fromrgb(config, resolution, config.clamp()));
  }
  const double gain = config.architecture == Architecture::kResnet ? std::sqrt(0.5) : 1;
  const ConvolutionLayerOptions plain{.clamp = config.clamp()};
  const ConvolutionLayerOptions reducing{.down = 2, .clamp = config.clamp(), .result_gain = gain};
  conv0_ = register_module("conv0", std::make_shared<ConvolutionLayer>(width, width, plain));
  conv1_ =
      register_module("conv1", std::make_shared<ConvolutionLayer>(width, next_width, reducing));
  if (config.architecture == Architecture::kResnet) {
    const ConvolutionLayerOptions linear{.kernel = 1,
                                         .bias = false,
                                         .activation = kernels::Activation::kLinear,
                                         .result_gain = gain};
    skip_ = register_module("skip", std::make_shared<ConvolutionLayer>(width, next_width, linear));
  }
}

std::vector<TypedLayer> DiscriminatorBlock::layers() const {
  const auto dtype = config_.compute_type(resolution_, conv0_->weight().scalar_type());
  return {
      {fromrgb_.get(), dtype}, {conv0_.get(), dtype}, {conv1_.get(), dtype}, {skip_.get(), dtype}};
}

DiscriminatorBlock::State DiscriminatorBlock::forward(
    const State& above, std::span<const LayerParameters> parameters) const {
  const auto dtype = parameters[1].weight.scalar_type();
  const auto prepared = [&](const at::Tensor& x) { return laid_out(x, dtype, layout()); };
  at::Tensor x = above.features.defined() ? prepared(above.features) : at::Tensor();
  State below;
  if (fromrgb_) {
    const at::Tensor y = fromrgb_->forward(prepared(above.image), parameters[0]);
    x = x.defined() ? x + y : y;
    if (config_.architecture == Architecture::kSkip) {
      below.image = kernels::downsample2d(above.image, filter_);
    }
  }
  at::Tensor skipped;
  if (skip_) {
    auto both = kernels::with_downsampled2d(x, filter_);
    x = both.x;
    skipped = skip_->forward(both.resampled, parameters[3]);
  }
  below.features = conv1_->forward(conv0_->forward(x, parameters[1]), parameters[2], skipped);
  return below;
}

StyleganDiscriminator::StyleganDiscriminator(const DiscriminatorConfig& config)
    : Discriminator({config.channels, config.resolution}, config.label_count), config_(config) {
  for (int resolution = config.resolution.shorter_side(); resolution > 4; resolution /= 2) {
    blocks_.push_back(register_module("b" + std::to_string(resolution),
                                      std::make_shared<DiscriminatorBlock>(resolution, config_)));
  }
  const int width = config.width(4);
  const int label_width = config.label_count > 0 ? width : 0;
  const auto last = register_module("b4", std::make_shared<torch::nn::Module>("b4"));
  if (config.architecture == Architecture::kSkip) {
    // Without a clamp, as in the public implementation.
    last_fromrgb_ = last->register_module("fromrgb", make_fromrgb(config, 4, {}));
  }
  const ConvolutionLayerOptions plain{.clamp = config.clamp()};
  last_conv_ = last->register_module(
      "conv", std::make_shared<ConvolutionLayer>(width + config.stddev_features, width, plain));
  const FullyConnectedOptions lrelu{.activation = kernels::Activation::kLeakyRelu};
  const auto features = static_cast<int>(width * config.lowest_size().pixels());
  fc_ = last->register_module("fc", std::make_shared<FullyConnected>(features, width, lrelu));
  out_ = last->register_module("out",
                               std::make_shared<FullyConnected>(width, std::max(label_width, 1)));
  if (label_width > 0) {
    mapping_ = register_module(
        "mapping", std::make_shared<Mapping>(MappingOptions{.z_dim = 0,
                                                            .label_count = config.label_count,
                                                            .width = label_width,
                                                            .layers = kLabelLayers}));
  }
}

at::Tensor StyleganDiscriminator::forward(const at::Tensor& images, const at::Tensor& labels,
                                          RandomStream& random) {
  return score_batches(images, labels, 1, random);
}

at::Tensor StyleganDiscriminator::score_batches(const at::Tensor& images, const at::Tensor& labels,
                                                int count, RandomStream& /*draws*/) {
  const auto parameters = layer_parameters();
  std::span<const LayerParameters> rest = parameters;
  DiscriminatorBlock::State state{.features = {}, .image = images};
  for (const auto& block : blocks_) {
    state = block->forward(state, rest);
    rest = rest.subspan(block->layers().size());
  }
  const at::Tensor output = epilogue(state, count, rest);
  if (!mapping_) return output.squeeze(1);
  const at::Tensor wanted = mapping_->forward({}, labels);
  return (output * wanted).sum(1) * (1 / std::sqrt(static_cast<double>(wanted.size(1))));
}

void StyleganDiscriminator::prepare_weights() {
  const at::NoGradGuard no_grad;
  layer_parameters();
  if (mapping_) mapping_->layer_parameters(out_->weight().scalar_type());
}

std::vector<TypedLayer> StyleganDiscriminator::layers() const {
  std::vector<TypedLayer> layers;
  for (const auto& block : blocks_) {
    for (const TypedLayer& layer : block->layers()) layers.push_back(layer);
  }
  const std::initializer_list<const EqualizedLayer*> last = {last_fromrgb_.get(), last_conv_.get(),
                                                             fc_.get(), out_.get()};
  for (const EqualizedLayer* layer : last) layers.push_back({layer, out_->weight().scalar_type()});
  return layers;
}

at::Tensor StyleganDiscriminator::epilogue(const DiscriminatorBlock::State& state, int batch_count,
                                           std::span<const LayerParameters> parameters) {
  const auto dtype = out_->weight().scalar_type();
  at::Tensor x = state.features.to(dtype).contiguous();
  if (last_fromrgb_) x = x + last_fromrgb_->forward(state.image.to(dtype), parameters[0]);
  if (config_.stddev_features > 0) x = append_stddev(x, config_, batch_count);
  x = last_conv_->forward(x, parameters[1]).flatten(1);
  return out_->forward(fc_->forward(x, parameters[2]), parameters[3]);
}

}  // namespace ganscale::models::stylegan
