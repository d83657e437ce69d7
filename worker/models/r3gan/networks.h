#pragma once

#include <memory>
#include <vector>

#include "models/contract/networks.h"
#include "models/r3gan/layers.h"

namespace ganscale::models::r3gan {

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

  at::Tensor forward(const at::Tensor& z, const at::Tensor& labels,
                     kernels::RandomStream& random) override;
  at::Tensor traceable_forward(const at::Tensor& z, const at::Tensor& labels) override;

 private:
  struct StageLayers {
    std::shared_ptr<Transition> transition;  ///< null in the first stage
    std::vector<std::shared_ptr<ResidualBlock>> blocks;
  };

  void add_first(torch::nn::Module& layers);
  at::Tensor synthesize(const at::Tensor& z, const at::Tensor& labels, Operators operators);

  NetworkConfig config_;
  at::Tensor embedding_;  ///< undefined without labels
  at::Tensor basis_;      ///< [W0, 4, 4]
  at::Tensor scales_;     ///< weight of the linear layer
  std::vector<StageLayers> stages_;
  std::shared_ptr<Convolution> to_image_;
};

}  // namespace ganscale::models::r3gan
