#include "models/biggan/discriminator.h"

#include "models/biggan/deep_blocks.h"
#include "models/biggan/recompute.h"

namespace ganscale::models::biggan {

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
                                        kernels::RandomStream& /*random*/) {
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
