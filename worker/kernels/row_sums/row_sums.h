#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::kernels {

/// Returns the sums of the columns of `rows`, by one kernel: what each block of another kernel has
/// summed, together. Without gradient.
///
/// rows:    [R, C] float32, or float64 for a dtype of float64; contiguous, on a device.
/// Returns: [C] of `dtype`.
at::Tensor row_sums(const at::Tensor& rows, at::ScalarType dtype);

}  // namespace ganscale::kernels
