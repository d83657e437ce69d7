#pragma once

#include "models/biggan/blocks.h"

/// The residual blocks of BigGAN-deep, Brock et al. 2018, arXiv:1809.11096, Appendix B, Figure 16:
/// bottlenecks with a quarter of the channels, and shortcuts that keep the input.
namespace ganscale::models::biggan {

/// Norm, ReLU, 1x1, norm, ReLU, upsampling if the stage upsamples, 3x3, norm, ReLU, 3x3, norm,
/// ReLU, 1x1; plus the first channels of the input, upsampled as well.
class DeepUpBlock : public GeneratorBlock {
 public:
  DeepUpBlock(const Stage& stage, int condition_width, const NetworkConfig& config);
  at::Tensor forward(const at::Tensor& x, const at::Tensor& condition) const override;

 private:
  bool upsamples_;
  int out_channels_;
  std::shared_ptr<ConditionalNorm> norms_[4];
  std::shared_ptr<Convolution> convolutions_[4];
};

/// ReLU, 1x1, ReLU, 3x3, ReLU, 3x3, ReLU, the mean over 2x2 if the stage halves, 1x1; plus the
/// input, halved as well, with channels of a 1x1 of it appended if there are to be more.
class DeepDownBlock : public DiscriminatorBlock {
 public:
  DeepDownBlock(const Stage& stage, const NetworkConfig& config);
  at::Tensor forward(const at::Tensor& x) const override;

 private:
  bool halves_;
  std::shared_ptr<Convolution> convolutions_[4];
  std::shared_ptr<Convolution> more_channels_;  ///< null: there are enough
};

}  // namespace ganscale::models::biggan
