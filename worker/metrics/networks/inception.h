#pragma once

#include "metrics/networks/feature_net.h"
#include "tensors/named_tensors.h"

namespace ganscale::metrics {

/// InceptionV3 as used by the Fréchet inception distance: average pooling without the padding, max
/// pooling in the last block, 2048 features, 1008 classes.
///
/// Paper:    Szegedy et al. 2016, arXiv:1512.00567, Table 1; in the variant of the TensorFlow
///           graph of 2015-12-05, whose weights pytorch-fid has.
/// Weights:  torchvision's names: Conv2d_1a_3x3.conv.weight, .bn.{weight, bias, running_mean,
///           running_var}, ..., Mixed_7c.branch_pool...., fc.weight [1008, 2048]. fc.bias is not
///           used: the inception score takes logits without bias.
/// Images:   resized to 299 as in TensorFlow 1; pixels as (x - 128) / 128.
class Inception : public FeatureNet {
 public:
  /// Throws DataError: a weight is missing or of another shape.
  Inception(const NamedTensors& weights, at::Device device);

  /// Extracts features of preprocessed images: [N, 3, 299, 299] float32 in [-1, 1].
  Features forward(const at::Tensor& images) const;

 private:
  Features compute(const at::Tensor& images, WantedOutputs wanted) override;

  NamedTensors layers_;  // convolutions with their batch norms folded in: NAME.weight, NAME.bias
  at::Tensor classes_;   // [1008, 2048]
  at::Device device_;
};

}  // namespace ganscale::metrics
