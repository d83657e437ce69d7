#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "models/contract/networks.h"
#include "models/layers/batch_norm.h"
#include "models/layers/convolution.h"
#include "models/layers/embedding.h"
#include "models/layers/linear.h"
#include "models/resnet/tables.h"

/// Residual networks of Miyato et al. 2018, arXiv:1802.05957, and a small pair after them. The
/// widths are in tables.h.
namespace ganscale::models::resnet {

/// Height and width of G's first features, and of D's last ones.
inline constexpr int kFirstSize = 4;

/// How labels enter a generator.
enum class LabelEntry {
  kLatent,  ///< as numbers appended to z
  kNorms,   ///< as scales and shifts of all batch norms
};

/// Batch norm, ReLU, upsampling, convolution, batch norm, ReLU, convolution; plus the upsampled
/// input, through a 1x1 convolution if shortcuts are learned.
///
/// Modules: norm_0, conv_0, norm_1, conv_1, shortcut.
class UpResidual : public torch::nn::Module {
 public:
  struct Shape {
    int in_channels;
    int channels;
    int label_count;  ///< of the norms
    bool has_learned_shortcut;
  };

  UpResidual(const Shape& shape, const BatchNormRule& norm);
  /// x: [N, in, H, W]; labels: [N] int64, or undefined. Returns [N, C, 2 H, 2 W].
  at::Tensor forward(const at::Tensor& x, const at::Tensor& labels) const;

 private:
  std::shared_ptr<BatchNorm> first_norm_;
  std::shared_ptr<BatchNorm> second_norm_;
  std::shared_ptr<UpsampledConvolution> first_;
  std::shared_ptr<Convolution> second_;
  std::shared_ptr<Convolution> shortcut_;
};

/// ReLU, convolution, ReLU, convolution and, if it halves, a mean over 2x2; plus the input, also
/// halved, through a 1x1 convolution if shortcuts are learned and its width or size changes. No
/// normalization: a gradient penalty needs images that do not mix.
///
/// Modules: conv_0, conv_1, shortcut.
class DownResidual : public torch::nn::Module {
 public:
  struct Shape {
    int in_channels;
    int channels;
    bool halves;
    bool takes_image;  ///< then there is no ReLU before the first convolution
    bool has_learned_shortcut;
  };

  explicit DownResidual(const Shape& shape);
  /// x: [N, in, H, W]. Returns [N, C, H, W] or [N, C, H / 2, W / 2].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  bool halves_;
  bool takes_image_;
  std::shared_ptr<Convolution> first_;
  std::shared_ptr<Convolution> second_;
  std::shared_ptr<Convolution> shortcut_;
};

/// | layer | output | parameters |
/// |---|---|---|
/// | z, with the label's numbers appended for kLatent | | label_embedding |
/// | linear | first_width x 4 x 4 | first |
/// | residual blocks that double the size | up.back() x r x r | block_0, block_1, ... |
/// | batch norm, ReLU, convolution, tanh | C x r x r | norm, to_image |
class ResnetGenerator : public Generator {
 public:
  struct Options {
    int z_dim;
    int label_count;  ///< 0 for the unconditional network
    LabelEntry label_entry;
    int label_dim;  ///< numbers of a label, for kLatent
    BatchNormOptions norm;
    /// Of all layers but the first and the last; undefined: the parameters'.
    std::optional<at::ScalarType> low_precision_type = {};
  };

  ResnetGenerator(int image_channels, const Table& table, const Options& options);
  at::Tensor forward(const at::Tensor& z, const at::Tensor& labels, RandomStream& random) override;
  /// All but the scales and shifts of norms, which have a row for each label.
  NamedTensors filters() override;

 private:
  std::optional<at::ScalarType> low_precision_type_;
  int first_width_;
  std::shared_ptr<Embedding> label_embedding_;
  std::shared_ptr<Linear> first_;
  std::vector<std::shared_ptr<UpResidual>> blocks_;
  std::shared_ptr<BatchNorm> norm_;
  std::shared_ptr<Convolution> to_image_;
};

/// | layer | output | parameters |
/// |---|---|---|
/// | convolution, without learned shortcuts | down[0] x r x r | from_image |
/// | residual blocks | down.back() x H x W | block_0, block_1, ... |
/// | ReLU, sum or mean over pixels | down.back() | |
/// | linear | 1 | last |
/// | + <label vector, features> in the conditional network | 1 | label_projection |
class ResnetCritic : public Discriminator {
 public:
  struct Options {
    int label_count = 0;             ///< 0 for the unconditional network
    bool has_spectral_norm = false;  ///< normalize_spectra() is called for it
    /// Of all layers but the last; undefined: the parameters'.
    std::optional<at::ScalarType> low_precision_type = {};
  };

  ResnetCritic(int image_channels, const Table& table, const Options& options);
  at::Tensor forward(const at::Tensor& images, const at::Tensor& labels,
                     RandomStream& random) override;
  /// A pass improves the estimates of spectral norms; without them two passes are one.
  BatchJoining batch_joining() const override {
    return options_.has_spectral_norm ? BatchJoining::kNone : BatchJoining::kForSpeed;
  }

 private:
  Options options_;
  bool sums_pixels_;
  std::shared_ptr<Convolution> from_image_;
  std::vector<std::shared_ptr<DownResidual>> blocks_;
  std::shared_ptr<Linear> last_;
  std::shared_ptr<Embedding> label_projection_;
};

}  // namespace ganscale::models::resnet
