#pragma once

#include <memory>

#include "models/biggan/layers.h"

/// The residual blocks of BigGAN, Brock et al. 2018, arXiv:1809.11096, Appendix B, Figure 15.
namespace ganscale::models::biggan {

/// A block of the generator.
class GeneratorBlock : public torch::nn::Module {
 public:
  /// x: [N, in, H, W]; condition: [N, condition_width]. Returns [N, out, H, W], or of twice the
  /// size.
  virtual at::Tensor forward(const at::Tensor& x, const at::Tensor& condition) const = 0;
};

/// A block of the discriminator.
class DiscriminatorBlock : public torch::nn::Module {
 public:
  /// x: [N, in, H, W]. Returns [N, out, H, W], or of half the size.
  virtual at::Tensor forward(const at::Tensor& x) const = 0;
};

/// Norm, ReLU, upsampling, 3x3, norm, ReLU, 3x3; plus the upsampled input through a 1x1.
class UpBlock : public GeneratorBlock {
 public:
  UpBlock(const Stage& stage, int condition_width, const NetworkConfig& config);
  at::Tensor forward(const at::Tensor& x, const at::Tensor& condition) const override;

 private:
  std::shared_ptr<ConditionalNorm> norms_[2];
  std::shared_ptr<Convolution> convolutions_[2];
  std::shared_ptr<Convolution> shortcut_;
};

/// ReLU (but in the first block, which sees the images), 3x3, ReLU, 3x3, and the mean over 2x2
/// if the stage halves; plus the input, halved as well, through a 1x1 if its shape changes.
class DownBlock : public DiscriminatorBlock {
 public:
  DownBlock(const Stage& stage, bool is_first, const NetworkConfig& config);
  at::Tensor forward(const at::Tensor& x) const override;

 private:
  bool halves_;
  bool is_first_;
  std::shared_ptr<Convolution> convolutions_[2];
  std::shared_ptr<Convolution> shortcut_;  ///< null: the input itself
};

}  // namespace ganscale::models::biggan
