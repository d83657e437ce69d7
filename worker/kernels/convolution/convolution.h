#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

/// Convolutions whose derivatives of any order are convolutions again, and are computed only if
/// needed.
namespace ganscale::kernels {

struct Convolution2d {
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  bool transposed = false;
  /// Rows and columns that a transposed convolution adds at the end, less than the stride.
  std::int64_t extra_rows = 0;
  std::int64_t extra_columns = 0;
  std::int64_t groups = 1;  ///< of channels, each convolved by itself
};

/// Returns the correlation of x and weight, or its transpose.
///
/// LibTorch's convolution can be differentiated twice as well, but it computes the second
/// derivative with kernels as large as the image, and inner gradients, such as R1's, compute
/// unneeded weight gradients. Here the gradients are convolutions of this kind.
///
/// x:       [N, in, H, W].
/// weight:  [out, in / groups, K, K]; transposed: [in, out / groups, K, K].
at::Tensor convolution2d(const at::Tensor& x, const at::Tensor& weight,
                         const Convolution2d& options = {});

/// Returns whether a kernel of our own computes that on a CPU, faster than LibTorch, and no trace
/// is being recorded, of which its results would be constants.
bool has_kernel(const at::Tensor& x, const at::Tensor& weight, const Convolution2d& options);

/// How resampled_convolution2d() resamples.
struct Resampling {
  std::int64_t up = 1;    ///< 1, or how much larger the result is
  std::int64_t down = 1;  ///< 1, or how much smaller
  /// true: flips the weight (a true convolution), as in the upsampling layers of StyleGAN2.
  bool flip_weight = false;
};

/// Convolves x, padded to keep its size, and upsamples or downsamples it with a low-pass filter.
///
/// Paper:   Karras et al. 2020, arXiv:1912.04958, Appendix B (filter after a transposed
///          convolution; filter before a strided one).
/// x:       [N, in, H, W].
/// weight:  [out, in, K, K] with odd K.
/// filter:  see upfirdn2d(); unused without resampling.
/// Returns: [N, out, H * up / down, W * up / down].
at::Tensor resampled_convolution2d(const at::Tensor& x, const at::Tensor& weight,
                                   const at::Tensor& filter, const Resampling& options);

}  // namespace ganscale::kernels
