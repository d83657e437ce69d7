#pragma once

#include <ATen/core/Tensor.h>

namespace ganscale::host_gpu {

/// Returns a tensor of the GPU that shares its memory with a tensor of the CPU. As a tensor of a GPU
/// it keeps the memory for the streams that it is recorded on; it knows no arithmetic.
at::Tensor on_gpu(const at::Tensor& data, at::Device gpu);

/// Returns a tensor of the CPU that shares its memory with a tensor of a GPU.
at::Tensor on_cpu(const at::Tensor& data);

}  // namespace ganscale::host_gpu
