#pragma once

#include "models/contract/layout.h"

namespace ganscale::models {

/// Returns a convolution of this stride, padded so that stride 1 keeps the size.
///
/// in:      the weight is [out, in, K, K] with odd K.
/// Returns: [N, out, ceil(H / stride), ceil(W / stride)].
at::Tensor conv2d(const ConvolutionOperands& in, std::int64_t stride = 1);

/// Return a 3x3 convolution with padding 1 of the image upsampled by 2 (nearest neighbor), or its
/// mean over blocks of 2x2, without the large image in between.
///
/// Weights for copies of the same pixel are added first, which gives a (transposed) convolution of
/// stride 2 with a 4x4 kernel: 4 multiplications per pixel of the large image instead of 9. On a
/// CPU, kernels of our own take 2.25.
///
/// in:     the weight is [out, in, 3, 3]; halved_conv2d() takes even H and W.
/// Return: [N, out, 2 H, 2 W], and [N, out, H / 2, W / 2].
at::Tensor upsampled_conv2d(const ConvolutionOperands& in);
at::Tensor halved_conv2d(const ConvolutionOperands& in);

}  // namespace ganscale::models
