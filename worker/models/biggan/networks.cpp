#include "models/biggan/networks.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/zeros.h>

#include "models/biggan/deep_blocks.h"
#include "models/biggan/recompute.h"

namespace ganscale::models::biggan {
namespace {

/// Returns how many numbers the linear layer takes.
int first_features(const NetworkConfig& c) {
  if (!c.is_hierarchical) return c.z_dim;
  return c.depth == Depth::kDeep ? c.shared_dim + c.z_dim : c.z_dim / c.z_chunks();
}

int condition_width(const NetworkConfig& c) {
  if (!c.is_hierarchical) return c.shared_dim;
  return c.shared_dim + (c.depth == Depth::kDeep ? c.z_dim : c.z_dim / c.z_chunks());
}

}  // namespace

BigganGenerator::BigganGenerator(const NetworkConfig& config)
    : Generator({config.channels, config.resolution}, config.z_dim, config.label_count),
      config_(config) {
  const auto stages = generator_stages(config);
  first_width_ = stages.front().in_channels;
  const int last_width = stages.back().out_channels;
  shared_ = add<List>(*this, "shared", "shared")
                ->register_parameter("weight", at::zeros({config.label_count, config.shared_dim}));
  linear_ = add<Linear>(*this, "linear", first_features(config),
                        first_width_ * kFirstSize * kFirstSize, config.spectral_epsilon);
  const auto blocks = add<List>(*this, "blocks", "blocks");
  for (const Stage& stage : stages) {
    const auto name = std::to_string(stages_.size());
    stages_.push_back(add_stage(*add<List>(*blocks, name, name), stage, config));
  }
  const auto output = add<List>(*this, "output_layer", "output_layer");
  output_norm_ = add<OutputNorm>(*output, "0", last_width, config);
  to_image_ =
      add<Convolution>(*output, "2", last_width, config.channels, 3, config.spectral_epsilon);
}

BigganGenerator::Layers BigganGenerator::add_stage(torch::nn::Module& list, const Stage& stage,
                                                   const NetworkConfig& config) {
  Layers layers;
  if (config.depth == Depth::kPlain) {
    layers.blocks = {add<UpBlock>(list, "0", stage, condition_width(config), config)};
  } else {
    Stage first = stage;
    first.out_channels = stage.in_channels;
    first.resamples = false;
    layers.blocks = {add<DeepUpBlock>(list, "0", first, condition_width(config), config),
                     add<DeepUpBlock>(list, "1", stage, condition_width(config), config)};
  }
  if (stage.has_attention) {
    layers.attention = add<SelfAttention>(list, std::to_string(layers.blocks.size()),
                                          stage.out_channels, config.spectral_epsilon);
  }
  return layers;
}

BigganGenerator::Codes BigganGenerator::codes_of(const at::Tensor& z,
                                                 const at::Tensor& labels) const {
  const auto label = at::embedding(shared_, labels);
  if (!config_.is_hierarchical) return {z, std::vector(stages_.size(), label)};
  if (config_.depth == Depth::kDeep) {
    const auto all = at::cat({label, z}, 1);
    return {all, std::vector(stages_.size(), all)};
  }
  const auto parts = z.split(config_.z_dim / config_.z_chunks(), 1);
  Codes codes{.first = parts.front(), .conditions = {}};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    codes.conditions.push_back(at::cat({label, parts[i]}, 1));
  }
  return codes;
}

// Traced by models/torchscript: use no tensor sizes but pixels and channels.
at::Tensor BigganGenerator::forward(const at::Tensor& z, const at::Tensor& labels,
                                    RandomStream& /*random*/) {
  const Codes codes = codes_of(z, labels);
  const auto first = linear_->forward(codes.first).view({-1, first_width_, kFirstSize, kFirstSize});
  auto x = laid_out(first, config_.compute_type(z.scalar_type()), layout());
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    for (const auto& block : stages_[i].blocks) {
      x = run(config_.recomputes, *block, x, codes.conditions[i]);
    }
    if (stages_[i].attention) x = run(config_.recomputes, *stages_[i].attention, x);
  }
  x = laid_out(x, z.scalar_type(), layout());
  return to_image_->forward(output_norm_->forward(x)).tanh();
}

NamedTensors BigganGenerator::filters() {
  NamedTensors filters = Generator::filters();
  filters.erase("shared.weight");
  return filters;
}

NamedTensors BigganGenerator::moving_statistics() {
  NamedTensors statistics = ganscale::named_buffers(*this);
  std::erase_if(statistics,
                [](const auto& item) { return item.first.find(".stored_") == std::string::npos; });
  return statistics;
}

BigganDiscriminator::BigganDiscriminator(const NetworkConfig& config)
    : Discriminator({config.channels, config.resolution}, config.label_count), config_(config) {
  const auto stages = discriminator_stages(config);
  const double epsilon = config.spectral_epsilon;
  if (config.depth == Depth::kDeep) {
    from_image_ =
        add<Convolution>(*this, "input_conv", config.channels, stages[0].in_channels, 3, epsilon);
  }
  const auto blocks = add<List>(*this, "blocks", "blocks");
  for (const Stage& stage : stages) {
    const auto name = std::to_string(stages_.size());
    stages_.push_back(add_stage(*add<List>(*blocks, name, name), stage, config));
  }
  const int features = stages.back().out_channels;
  linear_ = add<Linear>(*this, "linear", features, 1, epsilon);
  embed_ = add<Embedding>(*this, "embed", config.label_count, features, epsilon);
}

BigganDiscriminator::Layers BigganDiscriminator::add_stage(torch::nn::Module& list,
                                                           const Stage& stage,
                                                           const NetworkConfig& config) const {
  Layers layers;
  if (config.depth == Depth::kPlain) {
    layers.blocks = {add<DownBlock>(list, "0", stage, /*is_first=*/stages_.empty(), config)};
  } else {
    Stage second = stage;
    second.in_channels = stage.out_channels;
    second.resamples = false;
    layers.blocks = {add<DeepDownBlock>(list, "0", stage, config),
                     add<DeepDownBlock>(list, "1", second, config)};
  }
  if (stage.has_attention) {
    layers.attention = add<SelfAttention>(list, std::to_string(layers.blocks.size()),
                                          stage.out_channels, config.spectral_epsilon);
  }
  return layers;
}

at::Tensor BigganDiscriminator::forward(const at::Tensor& images, const at::Tensor& labels,
                                        RandomStream& /*random*/) {
  auto x = laid_out(images, config_.compute_type(images.scalar_type()), layout());
  if (from_image_) x = from_image_->forward(x);
  for (const Layers& stage : stages_) {
    for (const auto& block : stage.blocks) x = run(config_.recomputes, *block, x);
    if (stage.attention) x = run(config_.recomputes, *stage.attention, x);
  }
  const auto features = x.relu().sum({2, 3}, /*keepdim=*/false, images.scalar_type());
  return linear_->forward(features).squeeze(1).add(embed_->forward(labels).mul(features).sum(1));
}

}  // namespace ganscale::models::biggan
