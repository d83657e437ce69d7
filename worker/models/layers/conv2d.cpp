#include "models/layers/conv2d.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>

#include "kernels/convolution/convolution.h"
#include "kernels/convolution/scaled_convolution.h"

namespace ganscale::models {
namespace {

/// The full convolution with a 2x2 block of ones: [a, b, 3, 3] becomes [a, b, 4, 4].
at::Tensor spread(const at::Tensor& weight) {
  const auto rows =
      at::constant_pad_nd(weight, {0, 0, 0, 1}).add_(at::constant_pad_nd(weight, {0, 0, 1, 0}));
  return at::constant_pad_nd(rows, {0, 1}).add_(at::constant_pad_nd(rows, {1, 0}));
}

/// Adds the bias in place, if there is one.
at::Tensor biased(at::Tensor y, const at::Tensor& bias) {
  return bias.defined() ? y.add_(bias.view({-1, 1, 1})) : y;
}

}  // namespace

at::Tensor conv2d(const ConvolutionOperands& in, std::int64_t stride) {
  const kernels::Convolution2d options{
      .stride = stride, .padding = in.weight.size(2) / 2, .groups = in.groups};
  if (kernels::has_kernel(in.x, in.weight, options))
    return biased(kernels::convolution2d(in.x, in.weight, options), in.bias);
  return at::conv2d(in.x, in.weight, in.bias, stride, options.padding, /*dilation=*/1, in.groups);
}

at::Tensor upsampled_conv2d(const ConvolutionOperands& in) {
  using kernels::Scaling;
  if (kernels::has_scaled_kernel(in.x, in.weight, Scaling::kDouble))
    return biased(kernels::scaled_convolution2d(in.x, in.weight, Scaling::kDouble), in.bias);
  const auto transposed = spread(in.weight.flip({2, 3}).transpose(0, 1));
  return at::conv_transpose2d(in.x, transposed, in.bias, /*stride=*/2, /*padding=*/1);
}

at::Tensor halved_conv2d(const ConvolutionOperands& in) {
  using kernels::Scaling;
  if (kernels::has_scaled_kernel(in.x, in.weight, Scaling::kSum))
    return biased(kernels::scaled_convolution2d(in.x, in.weight.div(4), Scaling::kSum), in.bias);
  return at::conv2d(in.x, spread(in.weight.div(4)), in.bias, /*stride=*/2, /*padding=*/1);
}

}  // namespace ganscale::models
