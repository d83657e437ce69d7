#pragma once

#include <memory>
#include <vector>

#include "models/layers/batch_norm.h"
#include "models/layers/convolution.h"
#include "models/layers/embedding.h"
#include "models/layers/linear.h"
#include "models/networks.h"

/// A small residual pair for 32x32, after the tables for CIFAR-10 of Miyato et al. 2018,
/// arXiv:1802.05957, Table 3, with 64 channels where the paper has 256 and 128. Widths do not
/// change within a network, so that every shortcut is the input itself, scaled: the paper has 1x1
/// convolutions there.
namespace ganscale::models {

/// Batch norm, ReLU, upsampling, convolution, batch norm, ReLU, convolution; plus the upsampled
/// input.
class UpResidual : public torch::nn::Module {
 public:
  UpResidual(int channels, const BatchNormOptions& norm);
  /// x: [N, C, H, W]. Returns [N, C, 2 H, 2 W].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  std::shared_ptr<BatchNorm> first_norm_;
  std::shared_ptr<BatchNorm> second_norm_;
  std::shared_ptr<UpsampledConvolution> first_;
  std::shared_ptr<Convolution> second_;
};

/// ReLU, convolution, ReLU, convolution, and, with `halve`, a mean over 2x2; plus the input,
/// likewise halved. No normalization: a gradient penalty needs images that do not mix.
class DownResidual : public torch::nn::Module {
 public:
  DownResidual(int channels, bool halve);
  /// x: [N, C, H, W]. Returns [N, C, H, W] or [N, C, H / 2, W / 2].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  bool halve_;
  std::shared_ptr<Convolution> first_;
  std::shared_ptr<Convolution> second_;
};

/// | layer | output | parameters |
/// |---|---|---|
/// | z, with the label's 10 numbers appended if conditional | | label_embedding |
/// | linear | 64 x 4 x 4 | first |
/// | three residual blocks that double the size | 64 x 32 x 32 | block_0 ... block_2 |
/// | batch norm, ReLU, convolution, tanh | C x 32 x 32 | norm, to_image |
class ResnetGenerator : public Generator {
 public:
  /// label_count: 0 for the unconditional network.
  ResnetGenerator(ImageShape image, int z_dim, int label_count, const BatchNormOptions& norm);
  at::Tensor forward(const at::Tensor& z, const at::Tensor& labels,
                     kernels::RandomStream& random) override;

 private:
  std::shared_ptr<Embedding> label_embedding_;
  std::shared_ptr<Linear> first_;
  std::vector<std::shared_ptr<UpResidual>> blocks_;
  std::shared_ptr<BatchNorm> norm_;
  std::shared_ptr<Convolution> to_image_;
};

/// | layer | output | parameters |
/// |---|---|---|
/// | convolution | 64 x 32 x 32 | from_image |
/// | two residual blocks that halve the size, two that do not | 64 x 8 x 8 | block_0 ... block_3 |
/// | ReLU, mean over pixels | 64 | |
/// | linear | 1 | last |
/// | + <label vector, features> in the conditional network | 1 | label_projection |
class ResnetCritic : public Discriminator {
 public:
  /// label_count: 0 for the unconditional network.
  ResnetCritic(ImageShape image, int label_count);
  at::Tensor forward(const at::Tensor& images, const at::Tensor& labels,
                     kernels::RandomStream& random) override;

 private:
  std::shared_ptr<Convolution> from_image_;
  std::vector<std::shared_ptr<DownResidual>> blocks_;
  std::shared_ptr<Linear> last_;
  std::shared_ptr<Embedding> label_projection_;
};

}  // namespace ganscale::models
