#pragma once

#include "models/contract/layout.h"
#include "models/layers/weighted_layer.h"

namespace ganscale::models {

/// A convolution, padded so that stride 1 keeps the size.
///
/// Parameters: weight [out, in, k, k], bias [out]. Buffers: as WeightedLayer.
class Convolution : public WeightedLayer, public LaidOut {
 public:
  /// kernel: k, odd.
  Convolution(std::int64_t in_channels, std::int64_t out_channels, std::int64_t stride = 1,
              std::int64_t kernel = 3);

  /// x: [N, in, H, W]. Returns [N, out, ceil(H / stride), ceil(W / stride)].
  at::Tensor forward(const at::Tensor& x) const;

 protected:
  at::Tensor bias_;

 private:
  std::int64_t stride_;
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
