#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::kernels {

/// Counts a change of tensors that were written only by their address, as LibTorch's operators
/// count theirs: backward passes and KeptResults see by it that values are new.
void count_change(at::TensorList tensors);

}  // namespace ganscale::kernels
