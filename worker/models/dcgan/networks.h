#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "models/contract/networks.h"
#include "models/layers/batch_norm.h"
#include "models/layers/convolution.h"
#include "models/layers/embedding.h"
#include "models/layers/linear.h"

/// DC-GAN and the conditional DC-CGAN of Lupo Pasini, Gabbi, Yin, Perotto & Laanait, "Distributed
/// DC-CGAN". Parameters are named as in the public implementation of these tables (PyTorch-GAN's
/// dcgan), where a number is a layer's index. Batch norms have momentum 0.1, leaky ReLUs slope 0.2;
/// upsampling is nearest neighbor (the paper does not specify it).
namespace ganscale::models {

/// Shorter side of the features that D is linear in, at least.
inline constexpr int kLastSize = 4;

/// What dropout sets to zero.
enum class Dropout {
  kElements,
  kChannels,  ///< of an image, as PyTorch's Dropout2d
};

/// What the networks are built with. All widths of layers are times `channels`.
struct DcganOptions {
  int z_dim = 100;      ///< of G
  int label_dim = 10;   ///< numbers of a label, of G
  int label_count = 0;  ///< 0 for the unconditional network
  double channels = 1;
  Dropout dropout = Dropout::kElements;  ///< of D
  BatchNormOptions norm = {};
  /// Of all layers but the last and, in G, the first; undefined: the parameters'.
  std::optional<at::ScalarType> low_precision_type = {};
};

/// Generates images of 32x32 to 256x256; r is the resolution (both sides scale alike where images
/// are not squares):
///
/// | layer | output | parameters |
/// |---|---|---|
/// | z, with the label's numbers appended if conditional | 100, or 110 | label_embedding |
/// | linear, ReLU | 128 x r/4 x r/4 | l1.0 |
/// | batch norm, eps 1e-5 | | conv_blocks.0 |
/// | upsample, convolution, batch norm eps 0.8, leaky ReLU | 128 x r/2 x r/2 | conv_blocks.2, .3 |
/// | upsample, convolution, batch norm eps 0.8, leaky ReLU | 64 x r x r | conv_blocks.6, .7 |
/// | convolution, tanh | C x r x r | conv_blocks.9 |
class DcganGenerator : public Generator {
 public:
  DcganGenerator(ImageShape image, const DcganOptions& options);

  at::Tensor forward(const at::Tensor& z, const at::Tensor& labels, RandomStream& random) override;

 private:
  std::optional<at::ScalarType> low_precision_type_;
  int first_width_;
  std::shared_ptr<Embedding> label_embedding_;
  std::shared_ptr<Linear> linear_;
  std::shared_ptr<BatchNorm> first_norm_;
  std::vector<std::shared_ptr<UpsampledConvolution>> upsampled_;
  std::vector<std::shared_ptr<BatchNorm>> norms_;
  std::shared_ptr<Convolution> to_image_;
};

/// Scores images of 32x32 to 256x256; r is the resolution, or the shorter side:
///
/// | layer | output | parameters |
/// |---|---|---|
/// | convolution of stride 2, leaky ReLU, dropout 0.25 | 16 x r/2 x r/2 | model.0 |
/// | the same, batch norm eps 0.8 | 32 x r/4 x r/4 | model.3, .6 |
/// | the same | 64 x r/8 x r/8 | model.7, .10 |
/// | the same; stride 1 at r = 32 | 128 x r/16 x r/16, at least 128 x 4 x 4 | model.11, .14 |
/// | linear | 1 | adv_layer.0 |
/// | + <label vector, features> in the conditional network | 1 | label_projection |
///
/// The paper does not specify three things. 2048 features at 32x32 need a layer without stride: the
/// last one. Beyond 64x64, at which the paper's tables end, both linear layers grow with the image,
/// as in the public implementation. The label enters the conditional network as in Miyato & Koyama
/// 2018, arXiv:1802.05637, Eq. (3). Dropout applies to single values, unless
/// DcganOptions::dropout says channels, as the authors' code does. The paper's sigmoid is in the
/// loss.
class DcganDiscriminator : public Discriminator {
 public:
  DcganDiscriminator(ImageShape image, const DcganOptions& options);

  at::Tensor forward(const at::Tensor& images, const at::Tensor& labels,
                     RandomStream& random) override;

 private:
  at::Tensor features(const at::Tensor& images, RandomStream& random);

  std::optional<at::ScalarType> low_precision_type_;
  Dropout dropout_;
  std::vector<std::shared_ptr<Convolution>> convolutions_;
  std::vector<std::shared_ptr<BatchNorm>> norms_;  // none after the first convolution
  std::shared_ptr<Linear> linear_;
  std::shared_ptr<Embedding> label_projection_;
};

}  // namespace ganscale::models
