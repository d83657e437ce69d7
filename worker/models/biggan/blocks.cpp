#include "models/biggan/blocks.h"

namespace ganscale::models::biggan {

UpBlock::UpBlock(const Stage& stage, int condition_width, const NetworkConfig& config)
    : norm1_(add<ConditionalNorm>(*this, "bn1", stage.in_channels, condition_width, config)),
      norm2_(add<ConditionalNorm>(*this, "bn2", stage.out_channels, condition_width, config)),
      conv1_(add<Convolution>(*this, "conv1", stage.in_channels, stage.out_channels, 3,
                              config.spectral_epsilon)),
      conv2_(add<Convolution>(*this, "conv2", stage.out_channels, stage.out_channels, 3,
                              config.spectral_epsilon)),
      shortcut_(add<Convolution>(*this, "conv_sc", stage.in_channels, stage.out_channels, 1,
                                 config.spectral_epsilon)) {}

at::Tensor UpBlock::forward(const at::Tensor& x, const at::Tensor& condition) const {
  const auto large = conv1_->upsampled(norm1_->forward(x, condition));
  return conv2_->forward(norm2_->forward(large, condition)).add_(shortcut_->upsampled(x));
}

DownBlock::DownBlock(const Stage& stage, bool is_first, const NetworkConfig& config)
    : halves_(stage.resamples),
      is_first_(is_first),
      conv1_(add<Convolution>(*this, "conv1", stage.in_channels, stage.out_channels, 3,
                              config.spectral_epsilon)),
      conv2_(add<Convolution>(*this, "conv2", stage.out_channels, stage.out_channels, 3,
                              config.spectral_epsilon)) {
  if (!halves_ && stage.in_channels == stage.out_channels) return;
  shortcut_ = add<Convolution>(*this, "conv_sc", stage.in_channels, stage.out_channels, 1,
                               config.spectral_epsilon);
}

at::Tensor DownBlock::forward(const at::Tensor& x) const {
  const auto inner = conv1_->forward(is_first_ ? x : x.relu()).relu_();
  if (halves_) return conv2_->halved(inner).add_(shortcut_->halved(x));
  return conv2_->forward(inner).add_(shortcut_ ? shortcut_->forward(x) : x);
}

}  // namespace ganscale::models::biggan
