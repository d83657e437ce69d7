#include "models/layers/convolution.h"

#include <ATen/ops/zeros.h>

#include "models/layers/conv2d.h"

namespace ganscale::models {

Convolution::Convolution(std::int64_t in_channels, std::int64_t out_channels, std::int64_t stride,
                         std::int64_t kernel)
    : WeightedLayer({out_channels, in_channels, kernel, kernel}),
      bias_(register_parameter("bias", at::zeros({out_channels}))),
      stride_(stride) {}

at::Tensor Convolution::forward(const at::Tensor& x) const {
  return convolved({x, weight(), bias_}, layout(),
                   [this](const ConvolutionOperands& in) { return conv2d(in, stride_); });
}

at::Tensor UpsampledConvolution::forward(const at::Tensor& x) const {
  return convolved({x, weight(), bias_}, layout(), upsampled_conv2d);
}

}  // namespace ganscale::models
