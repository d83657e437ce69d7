#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

/// Who computes: kernels or references. Nothing else in this folder asks for a tensor's device to
/// choose between them, so that a test can link another definition of these two functions, with
/// which kernels compute on the host, too (tests/support/host_grid).
namespace ganscale::kernels {

/// Returns whether kernels compute with this tensor: on every device but the CPU. There references
/// do, which take float32 and float64 only.
bool takes_kernels(const at::Tensor& tensor);

/// Calls `launch` with the current CUDA stream of `device`, and makes that the current device for
/// the call. A device other than CUDA is a bug.
void on_stream_of(at::Device device, const std::function<void(void* cuda_stream)>& launch);

}  // namespace ganscale::kernels
