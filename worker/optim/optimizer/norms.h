#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace ganscale::optim {

/// Returns the Euclidean norm of each tensor: [n], on the tensors' device, without waiting for it.
/// On a CPU the bits do not depend on the number of threads, and so of ranks.
///
/// tensors: dense, in any order of strides, of one dtype and device, at least one; none is empty.
at::Tensor norms_of(const std::vector<at::Tensor>& tensors);

}  // namespace ganscale::optim
