#include "models/layers/convolution.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>
#include <ATen/ops/zeros.h>

namespace ganscale::models {
namespace {

// The full convolution of the flipped weight with a 2x2 block of ones, as [in, out, 4, 4].
at::Tensor transposed_kernel(const at::Tensor& weight) {
  const auto turned = weight.flip({2, 3}).transpose(0, 1);
  const auto rows =
      at::constant_pad_nd(turned, {0, 0, 0, 1}).add_(at::constant_pad_nd(turned, {0, 0, 1, 0}));
  return at::constant_pad_nd(rows, {0, 1}).add_(at::constant_pad_nd(rows, {1, 0}));
}

}  // namespace

Convolution::Convolution(std::int64_t in_channels, std::int64_t out_channels, std::int64_t stride)
    : weight_(register_parameter("weight", at::zeros({out_channels, in_channels, 3, 3}))),
      bias_(register_parameter("bias", at::zeros({out_channels}))),
      stride_(stride) {}

void Convolution::normalize_spectrum() {
  spectral_norm_ =
      register_module("spectral_norm", std::make_shared<SpectralNorm>(weight_.size(0)));
}

at::Tensor Convolution::forward(const at::Tensor& x) const {
  const auto weight = spectral_norm_ ? spectral_norm_->forward(weight_) : weight_;
  return at::conv2d(x, weight, bias_, stride_, /*padding=*/1);
}

at::Tensor UpsampledConvolution::forward(const at::Tensor& x) const {
  return at::conv_transpose2d(x, transposed_kernel(weight_), bias_, /*stride=*/2, /*padding=*/1);
}

}  // namespace ganscale::models
