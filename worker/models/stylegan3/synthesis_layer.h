#pragma once

#include <torch/nn/module.h>

#include <optional>

#include "comm/group/group.h"
#include "models/stylegan/layers.h"
#include "models/stylegan3/geometry.h"

namespace ganscale::models::stylegan3 {

struct SynthesisLayerOptions {
  Layer layer;
  int w_dim = 512;
  std::optional<double> clamp = {};  ///< of what is activated
  double magnitude_beta = 0.999;     ///< decay of the mean square of what the layer takes
  std::optional<at::ScalarType> low_precision_type = {};
  comm::Group* ranks = nullptr;  ///< whose images have one mean square; null: only this rank
};

/// A modulated convolution and a filtered leaky ReLU.
///
/// Paper:      Karras et al. 2021, arXiv:2106.12423, Section 3 and Figure 4.
/// Parameters: weight [out, in, K, K], bias [out], affine.weight [in, w_dim], affine.bias [in].
/// Buffers:    magnitude_ema [], the mean square of what it takes; up_filter [taps], down_filter
///             [taps] or [taps, taps], if it has them.
class SynthesisLayer : public torch::nn::Module, public LaidOut {
 public:
  explicit SynthesisLayer(const SynthesisLayerOptions& options);

  /// x: [N, in, H, W]; w: [N, w_dim]. tracks: updates magnitude_ema first, with all ranks.
  /// Returns [N, out, H', W'] in the dtype of the layer.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& w, bool tracks) const;

 private:
  void track_magnitude(const at::Tensor& x) const;

  SynthesisLayerOptions options_;
  std::shared_ptr<stylegan::FullyConnected> affine_;
  at::Tensor weight_;
  at::Tensor bias_;
  at::Tensor magnitude_;
  at::Tensor up_filter_;    // undefined without
  at::Tensor down_filter_;  // undefined without
};

}  // namespace ganscale::models::stylegan3
