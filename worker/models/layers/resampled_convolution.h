#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::models {

/// Return a 3x3 convolution with padding 1 of the image upsampled by 2 (nearest neighbor), or its
/// mean over blocks of 2x2, without the large image in between.
///
/// Weights for copies of the same pixel are added first, which gives a (transposed) convolution of
/// stride 2 with a 4x4 kernel: 4 multiplications per pixel of the large image instead of 9.
///
/// x:      [N, in, H, W]; halved_conv2d() takes even H and W.
/// weight: [out, in, 3, 3]; bias: [out].
/// Return: [N, out, 2 H, 2 W], and [N, out, H / 2, W / 2].
at::Tensor upsampled_conv2d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);
at::Tensor halved_conv2d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace ganscale::models
