#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "models/contract/layout.h"
#include "models/layers/spectral_norm.h"

namespace ganscale::models {

/// A convolution, padded so that stride 1 keeps the size. Initially zero: the network initializes
/// the weights.
///
/// Parameters: weight [out, in, k, k], bias [out]. Buffers: spectral_norm.u, if used.
class Convolution : public torch::nn::Module, public LaidOut {
 public:
  /// kernel: k, odd.
  Convolution(std::int64_t in_channels, std::int64_t out_channels, std::int64_t stride = 1,
              std::int64_t kernel = 3);

  /// Divides the weight by its largest singular value from now on.
  void normalize_spectrum();

  /// x: [N, in, H, W]. Returns [N, out, ceil(H / stride), ceil(W / stride)].
  at::Tensor forward(const at::Tensor& x) const;

 protected:
  at::Tensor weight_;
  at::Tensor bias_;

 private:
  std::int64_t stride_;
  std::shared_ptr<SpectralNorm> spectral_norm_;
};

/// Nearest-neighbor upsampling by 2, fused with a 3x3 convolution with padding 1: see
/// upsampled_conv2d().
class UpsampledConvolution : public Convolution {
 public:
  UpsampledConvolution(std::int64_t in_channels, std::int64_t out_channels)
      : Convolution(in_channels, out_channels) {}

  /// x: [N, in, H, W]. Returns [N, out, 2 H, 2 W].
  at::Tensor forward(const at::Tensor& x) const;
};

}  // namespace ganscale::models
