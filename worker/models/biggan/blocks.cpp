#include "models/biggan/blocks.h"

namespace ganscale::models::biggan {

namespace {

/// Adds the two 3x3 convolutions of a block.
void add_convolutions(torch::nn::Module& block, const Stage& stage, double epsilon,
                      std::shared_ptr<Convolution> (&convolutions)[2]) {
  const int widths[] = {stage.in_channels, stage.out_channels, stage.out_channels};
  for (int i = 0; i < 2; ++i) {
    convolutions[i] = add<Convolution>(block, "conv" + std::to_string(i + 1), widths[i],
                                       widths[i + 1], 3, epsilon);
  }
}

/// Adds the 1x1 convolution of a block's input.
std::shared_ptr<Convolution> add_shortcut(torch::nn::Module& block, const Stage& stage,
                                          double epsilon) {
  return add<Convolution>(block, "conv_sc", stage.in_channels, stage.out_channels, 1, epsilon);
}

}  // namespace

UpBlock::UpBlock(const Stage& stage, int condition_width, const NetworkConfig& config) {
  norms_[0] = add<ConditionalNorm>(*this, "bn1", stage.in_channels, condition_width, config);
  norms_[1] = add<ConditionalNorm>(*this, "bn2", stage.out_channels, condition_width, config);
  add_convolutions(*this, stage, config.spectral_epsilon, convolutions_);
  shortcut_ = add_shortcut(*this, stage, config.spectral_epsilon);
}

at::Tensor UpBlock::forward(const at::Tensor& x, const at::Tensor& condition) const {
  const auto large = convolutions_[0]->upsampled(norms_[0]->forward(x, condition));
  return convolutions_[1]
      ->forward(norms_[1]->forward(large, condition))
      .add_(shortcut_->upsampled(x));
}

DownBlock::DownBlock(const Stage& stage, bool is_first, const NetworkConfig& config)
    : halves_(stage.resamples), is_first_(is_first) {
  add_convolutions(*this, stage, config.spectral_epsilon, convolutions_);
  if (!halves_ && stage.in_channels == stage.out_channels) return;
  shortcut_ = add_shortcut(*this, stage, config.spectral_epsilon);
}

at::Tensor DownBlock::forward(const at::Tensor& x) const {
  const auto inner = convolutions_[0]->forward(is_first_ ? x : x.relu()).relu_();
  if (halves_) return convolutions_[1]->halved(inner).add_(shortcut_->halved(x));
  return convolutions_[1]->forward(inner).add_(shortcut_ ? shortcut_->forward(x) : x);
}

}  // namespace ganscale::models::biggan
