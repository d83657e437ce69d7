#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace ganscale::kernels {

/// Looks for NaNs and infinities, in one pass over memory. The host does not wait for a device.
///
/// tensors: float32 or float64, all alike and on one device; dense.
/// Returns: float32 [1 + tensors], on that device. At 1 + i: 1 if tensor i has one, else 0; at 0:
///          1 if any has, else 0.
at::Tensor nonfinite_flags(const std::vector<at::Tensor>& tensors);

}  // namespace ganscale::kernels
