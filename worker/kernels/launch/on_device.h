#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "kernels/launch/scalar_type.h"

/// What the autograd files share: from tensors to the plain functions of kernels.
namespace ganscale::kernels {

/// Returns the kernels' name of a dtype. A dtype that no kernel takes is a bug.
ScalarType scalar_type_of(at::ScalarType dtype);

/// Calls `compute` with the current CUDA stream of the tensor's device, which is the current device
/// meanwhile. A device that is no CUDA device is a bug.
void with_cuda_stream(const at::Tensor& tensor,
                      const std::function<void(void* cuda_stream)>& compute);

/// Returns the tensor in dense memory: channels last where it is that, else contiguous.
at::Tensor in_dense_layout(const at::Tensor& tensor);

/// Returns `tensor` in the memory format of `model`, which is dense and of the same shape.
at::Tensor in_layout_of(const at::Tensor& tensor, const at::Tensor& model);

/// Returns a copy on `device` of a small tensor of the host, which does not wait for it.
at::Tensor sent_to(at::Device device, const at::Tensor& on_host);

/// Returns a tensor that references take: those of low-precision types in float32.
at::Tensor upcast(const at::Tensor& tensor);

}  // namespace ganscale::kernels
