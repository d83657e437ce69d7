#pragma once

#include <memory>
#include <vector>

#include "models/biggan/blocks.h"
#include "models/contract/networks.h"

namespace ganscale::models::biggan {

/// The plain generator, Brock et al. 2018, arXiv:1809.11096, Appendix B, Table 4; the table of
/// generator_stages() has the widths w0, w1, ...:
///
/// | layer | output | parameters |
/// |---|---|---|
/// | embedding of the label, not normalized | shared_dim | shared |
/// | linear of z's first part | w0 ch x 4 x 4 | linear |
/// | stage i: block; condition: label embedding and part i + 1 of z | wi ch x size | blocks.i.0 |
/// | attention after the stages that have it | | blocks.i.1 |
/// | norm, ReLU, 3x3, tanh | C x r x r | output_layer.0, .2 |
///
/// The deep one (Table 7 onward) has two blocks a stage, of which the second upsamples, attention
/// after them, and all of z with the label embedding as input of the linear layer and as every
/// condition. Without hierarchy z enters only the linear layer, and the label embedding the norms.
/// The stages compute in NetworkConfig::compute_type(), the rest in the parameters' dtype.
class BigganGenerator : public Generator {
 public:
  explicit BigganGenerator(const NetworkConfig& config);

  at::Tensor forward(const at::Tensor& z, const at::Tensor& labels, RandomStream& random) override;

  /// Singular vectors follow from the weights, and are the same on all ranks.
  NamedTensors moving_statistics() override;
  /// All but the label embedding.
  NamedTensors filters() override;

 private:
  struct Layers {
    std::vector<std::shared_ptr<GeneratorBlock>> blocks;
    std::shared_ptr<SelfAttention> attention;  ///< null: none
  };
  /// What the linear layer takes, and the condition of each stage.
  struct Codes {
    at::Tensor first;
    std::vector<at::Tensor> conditions;
  };

  static Layers add_stage(torch::nn::Module& list, const Stage& stage, const NetworkConfig& config);
  Codes codes_of(const at::Tensor& z, const at::Tensor& labels) const;

  NetworkConfig config_;
  int first_width_ = 0;  ///< channels of the linear layer
  at::Tensor shared_;    ///< [label_count, shared_dim]
  std::shared_ptr<Linear> linear_;
  std::vector<Layers> stages_;
  std::shared_ptr<OutputNorm> output_norm_;
  std::shared_ptr<Convolution> to_image_;
};

/// The plain discriminator, Brock et al. 2018, arXiv:1809.11096, Appendix B, Table 4; the table of
/// discriminator_stages() has the widths w0, w1, ...:
///
/// | layer | output | parameters |
/// |---|---|---|
/// | stage i: block | wi ch x size | blocks.i.0 |
/// | attention after the stages that have it | | blocks.i.1 |
/// | ReLU, sum over pixels | last width ch | |
/// | linear | 1 | linear |
/// | + <label vector, features> | 1 | embed |
///
/// The deep one (Table 7 onward) has a 3x3 from the images (input_conv) and two blocks a stage, of
/// which the first halves. The sum over pixels and what follows compute in the parameters' dtype,
/// the stages in NetworkConfig::compute_type().
class BigganDiscriminator : public Discriminator {
 public:
  explicit BigganDiscriminator(const NetworkConfig& config);

  at::Tensor forward(const at::Tensor& images, const at::Tensor& labels,
                     RandomStream& random) override;
  BatchJoining batch_joining() const override { return BatchJoining::kByDefault; }

  /// None: singular vectors follow from the weights, and are the same on all ranks.
  NamedTensors moving_statistics() override { return {}; }

 private:
  struct Layers {
    std::vector<std::shared_ptr<DiscriminatorBlock>> blocks;
    std::shared_ptr<SelfAttention> attention;  ///< null: none
  };

  Layers add_stage(torch::nn::Module& list, const Stage& stage, const NetworkConfig& config) const;

  const NetworkConfig config_;
  std::shared_ptr<Convolution> from_image_;  ///< null: the first block sees the images
  std::vector<Layers> stages_;
  std::shared_ptr<Linear> linear_;
  std::shared_ptr<Embedding> embed_;
};

}  // namespace ganscale::models::biggan
