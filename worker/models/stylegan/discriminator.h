#pragma once

#include <span>
#include <vector>

#include "models/contract/networks.h"
#include "models/stylegan/mapping.h"
#include "models/stylegan/stddev_layer.h"

namespace ganscale::models::stylegan {

/// The layers of D at one resolution (the shorter side), followed by downsampling.
///
/// Parameters: fromrgb.* (at the highest resolution; with kSkip at each), conv0.*, conv1.*,
///             skip.weight (kResnet). Buffers: resample_filter [4, 4].
class DiscriminatorBlock : public torch::nn::Module, public LaidOut {
 public:
  DiscriminatorBlock(int resolution, const DiscriminatorConfig& config);

  /// The features and, with kSkip, the image, at the resolution of the next block.
  struct State {
    at::Tensor features;
    at::Tensor image;
  };
  /// parameters: of layers().
  State forward(const State& above, std::span<const LayerParameters> parameters) const;
  /// Returns fromrgb, conv0, conv1 and skip.
  std::vector<TypedLayer> layers() const;

 private:
  int resolution_;
  const DiscriminatorConfig& config_;
  at::Tensor filter_;
  std::shared_ptr<ConvolutionLayer> fromrgb_;  // null if there is only the block above
  std::shared_ptr<ConvolutionLayer> conv0_;
  std::shared_ptr<ConvolutionLayer> conv1_;
  std::shared_ptr<ConvolutionLayer> skip_;  // only with kResnet
};

/// The discriminator of StyleGAN2 and 3, with a minibatch standard deviation at 4x4 (4x8 of
/// images that are twice as wide as high, and so on).
///
/// Paper:      Karras et al. 2020, arXiv:1912.04958; labels as in Miyato & Koyama 2018,
///             arXiv:1802.05637, Eq. (3), mapped.
/// Parameters: b<resolution>.*, b4.{fromrgb, conv, fc, out}.*, mapping.* with labels; named as in
///             the public PyTorch implementation.
class StyleganDiscriminator : public Discriminator {
 public:
  explicit StyleganDiscriminator(const DiscriminatorConfig& config);

  at::Tensor forward(const at::Tensor& images, const at::Tensor& labels,
                     RandomStream& random) override;
  at::Tensor score_batches(const at::Tensor& images, const at::Tensor& labels, int count,
                           RandomStream& random) override;
  BatchJoining batch_joining() const override { return BatchJoining::kForSpeed; }
  NamedTensors moving_statistics() override { return {}; }
  void prepare_weights() override;

 private:
  /// Returns the layers of all blocks, then of the epilogue: fromrgb, conv, fc and out.
  std::vector<TypedLayer> layers() const;
  /// Returns what they compute with.
  std::vector<LayerParameters> layer_parameters() const { return parameters_for(layers(), &kept_); }
  /// parameters: of its layers.
  at::Tensor epilogue(const DiscriminatorBlock::State& state, int batch_count,
                      std::span<const LayerParameters> parameters);

  const DiscriminatorConfig config_;
  std::vector<std::shared_ptr<DiscriminatorBlock>> blocks_;
  std::shared_ptr<ConvolutionLayer> last_fromrgb_;  // only with kSkip
  std::shared_ptr<ConvolutionLayer> last_conv_;
  std::shared_ptr<FullyConnected> fc_;
  std::shared_ptr<FullyConnected> out_;
  std::shared_ptr<Mapping> mapping_;  // null without labels
  mutable KeptByType kept_;
};

}  // namespace ganscale::models::stylegan
