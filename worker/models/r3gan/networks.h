#pragma once

#include <memory>
#include <vector>

#include "models/contract/networks.h"
#include "models/r3gan/layers.h"

namespace ganscale::models::r3gan {

/// The layers of a stage. The transition comes first in G, last in D.
struct StageLayers {
  std::vector<std::shared_ptr<ResidualBlock>> blocks;
  std::shared_ptr<Transition> transition;  ///< null in the stage of 4x4
};

/// Generates images (Huang et al. 2024, arXiv:2501.05441, Section 4, configuration E). All names
/// begin with Model:
///
/// | layer | output | parameters |
/// |---|---|---|
/// | z, with the label's numbers appended if conditional | z_dim, or + label_dim | EmbeddingLayer |
/// | learned basis, scaled per channel by a linear layer | W0 x 4 x 4 | MainLayers.0.Layers.0 |
/// | residual blocks | W0 x 4 x 4 | MainLayers.0.Layers.1 ... |
/// | a stage: transition, residual blocks | Ws x 2 h x 2 h | MainLayers.s.Layers.0, .1 ... |
/// | 1x1 convolution, no tanh | C x r x r | AggregationLayer |
class R3ganGenerator : public Generator {
 public:
  explicit R3ganGenerator(const NetworkConfig& config);

  at::Tensor forward(const at::Tensor& z, const at::Tensor& labels, RandomStream& random) override;
  at::Tensor traceable_forward(const at::Tensor& z, const at::Tensor& labels) override;

 private:
  void add_first(torch::nn::Module& layers);
  at::Tensor synthesize(const at::Tensor& z, const at::Tensor& labels, Operators operators);

  NetworkConfig config_;
  at::Tensor embedding_;  ///< undefined without labels
  at::Tensor basis_;      ///< [W0, 4, 4]
  at::Tensor scales_;     ///< weight of the linear layer
  std::vector<StageLayers> stages_;
  std::shared_ptr<Convolution> to_image_;
};

/// Scores images: the stages of G the other way round. All names begin with Model:
///
/// | layer | output | parameters |
/// |---|---|---|
/// | 1x1 convolution | W x r x r | ExtractionLayer |
/// | a stage: residual blocks, transition | W' x h / 2 x h / 2 | MainLayers.s.Layers.0 ..., .n |
/// | residual blocks of the last stage | W0 x 4 x 4 | MainLayers.s.Layers.0 ... |
/// | depthwise 4x4 convolution | W0 | MainLayers.s.Layers.n.Basis |
/// | linear; with labels, product with the label's numbers | 1 | .LinearLayer; EmbeddingLayer |
class R3ganDiscriminator : public Discriminator {
 public:
  explicit R3ganDiscriminator(const NetworkConfig& config);

  at::Tensor forward(const at::Tensor& images, const at::Tensor& labels,
                     RandomStream& random) override;
  /// Nothing mixes images.
  BatchJoining batch_joining() const override { return BatchJoining::kForSpeed; }

 private:
  void add_last(torch::nn::Module& layers, const std::string& name);

  NetworkConfig config_;
  std::shared_ptr<Convolution> from_image_;
  std::vector<StageLayers> stages_;  ///< from the images down
  at::Tensor basis_;                 ///< [W0, 1, 4, 4]
  at::Tensor weight_;                ///< of the linear layer
  at::Tensor embedding_;             ///< undefined without labels
};

}  // namespace ganscale::models::r3gan
