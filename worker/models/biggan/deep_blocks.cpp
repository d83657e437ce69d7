#include "models/biggan/deep_blocks.h"

#include <ATen/ops/cat.h>

namespace ganscale::models::biggan {
namespace {

constexpr int kBottleneck = 4;

/// Adds the four convolutions of a bottleneck, 1x1, 3x3, 3x3 and 1x1.
void add_bottleneck(torch::nn::Module& block, const Stage& stage, int hidden, double epsilon,
                    std::shared_ptr<Convolution> (&convolutions)[4]) {
  const int widths[] = {stage.in_channels, hidden, hidden, hidden, stage.out_channels};
  for (int i = 0; i < 4; ++i) {
    const int kernel = i == 0 || i == 3 ? 1 : 3;
    convolutions[i] = add<Convolution>(block, "conv" + std::to_string(i + 1), widths[i],
                                       widths[i + 1], kernel, epsilon);
  }
}

}  // namespace

DeepUpBlock::DeepUpBlock(const Stage& stage, int condition_width, const NetworkConfig& config)
    : upsamples_(stage.resamples), out_channels_(stage.out_channels) {
  const int hidden = stage.in_channels / kBottleneck;
  add_bottleneck(*this, stage, hidden, config.spectral_epsilon, convolutions_);
  for (int i = 0; i < 4; ++i) {
    norms_[i] = add<ConditionalNorm>(*this, "bn" + std::to_string(i + 1),
                                     i == 0 ? stage.in_channels : hidden, condition_width, config);
  }
}

at::Tensor DeepUpBlock::forward(const at::Tensor& x, const at::Tensor& condition) const {
  auto inner = convolutions_[0]->forward(norms_[0]->forward(x, condition));
  inner = norms_[1]->forward(inner, condition);
  inner = upsamples_ ? convolutions_[1]->upsampled(inner) : convolutions_[1]->forward(inner);
  inner = convolutions_[2]->forward(norms_[2]->forward(inner, condition));
  inner = convolutions_[3]->forward(norms_[3]->forward(inner, condition));
  const auto shortcut = x.narrow(1, 0, out_channels_);
  return inner.add_(upsamples_ ? doubled(shortcut) : shortcut);
}

DeepDownBlock::DeepDownBlock(const Stage& stage, const NetworkConfig& config)
    : halves_(stage.resamples) {
  add_bottleneck(*this, stage, stage.out_channels / kBottleneck, config.spectral_epsilon,
                 convolutions_);
  const int missing = stage.out_channels - stage.in_channels;
  if (missing == 0) return;
  more_channels_ =
      add<Convolution>(*this, "conv_sc", stage.in_channels, missing, 1, config.spectral_epsilon);
}

at::Tensor DeepDownBlock::forward(const at::Tensor& x) const {
  auto inner = convolutions_[0]->forward(x.relu()).relu_();
  inner = convolutions_[1]->forward(inner).relu_();
  inner = convolutions_[2]->forward(inner).relu_();
  inner = convolutions_[3]->forward(halves_ ? halved(inner) : inner);
  const auto kept = halves_ ? halved(x) : x;
  if (!more_channels_) return inner.add_(kept);
  return inner.add_(at::cat({kept, more_channels_->forward(kept)}, 1));
}

}  // namespace ganscale::models::biggan
