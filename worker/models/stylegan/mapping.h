#pragma once

#include <torch/nn/module.h>

#include <optional>
#include <vector>

#include "models/stylegan/layers.h"

namespace ganscale::models::stylegan {

struct MappingOptions {
  int z_dim = 512;      ///< 0: labels only
  int label_count = 0;  ///< 0: latents only
  int width = 512;      ///< of the layers and the result
  int layers = 8;
  double rate_multiplier = 0.01;            ///< learning rate multiplier of the layers
  std::optional<double> average_beta = {};  ///< of w_avg, in [0, 1); empty: no such buffer
};

/// Maps latents, labels or both to style vectors.
///
/// Paper:      Karras et al. 2019, arXiv:1812.04948, Section 2; truncation in Appendix B.
/// Parameters: fc0.weight, fc0.bias, ...; embed.weight [width, labels], embed.bias with labels.
/// Buffers:    w_avg [width], the running mean of the results.
class Mapping : public torch::nn::Module {
 public:
  explicit Mapping(const MappingOptions& options);

  /// z:       [N, z_dim]; undefined without latents.
  /// labels:  [N] int64; undefined without labels.
  /// Returns: [N, width].
  at::Tensor forward(const at::Tensor& z, const at::Tensor& labels) const;
  /// Returns what its layers compute with on features of this dtype.
  std::vector<LayerParameters> layer_parameters(at::ScalarType dtype) const;

  /// Updates w_avg with the mean of results, [width]. A mapping without w_avg is a bug.
  void track_average(const at::Tensor& mean) const;
  const at::Tensor& average() const { return average_; }

 private:
  MappingOptions options_;
  std::shared_ptr<FullyConnected> embedding_;
  std::vector<std::shared_ptr<FullyConnected>> layers_;
  mutable KeptByType kept_;
  at::Tensor average_;
};

}  // namespace ganscale::models::stylegan
