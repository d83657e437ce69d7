#pragma once

#include <memory>
#include <vector>

#include "models/biggan/blocks.h"
#include "models/contract/networks.h"

namespace ganscale::models::biggan {

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
                     kernels::RandomStream& random) override;
  at::Tensor score_batches(const at::Tensor& images, const at::Tensor& labels, int /*count*/,
                           kernels::RandomStream& random) override {
    return forward(images, labels, random);
  }
  BatchJoining batch_joining() const override { return BatchJoining::kByDefault; }

  /// None: singular vectors follow from the weights, and are those of every rank.
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
