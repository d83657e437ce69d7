#include "models/layers/resampled_convolution.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>

namespace ganscale::models {
namespace {

/// The full convolution with a 2x2 block of ones: [a, b, 3, 3] becomes [a, b, 4, 4].
at::Tensor spread(const at::Tensor& weight) {
  const auto rows =
      at::constant_pad_nd(weight, {0, 0, 0, 1}).add_(at::constant_pad_nd(weight, {0, 0, 1, 0}));
  return at::constant_pad_nd(rows, {0, 1}).add_(at::constant_pad_nd(rows, {1, 0}));
}

}  // namespace

at::Tensor upsampled_conv2d(const ConvolutionOperands& in) {
  const auto transposed = spread(in.weight.flip({2, 3}).transpose(0, 1));
  return at::conv_transpose2d(in.x, transposed, in.bias, /*stride=*/2, /*padding=*/1);
}

at::Tensor halved_conv2d(const ConvolutionOperands& in) {
  return at::conv2d(in.x, spread(in.weight.div(4)), in.bias, /*stride=*/2, /*padding=*/1);
}

}  // namespace ganscale::models
