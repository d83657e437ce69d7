#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "kernels/launch/scalar_type.h"

/// Shared by the autograd files: from tensors to the plain functions of kernels.
namespace ganscale::kernels {

/// Returns the scalar type of a dtype. A dtype that no kernel supports is a bug.
ScalarType scalar_type_of(at::ScalarType dtype);

/// Calls `compute` with the current CUDA stream of the tensor's device, and makes that the current
/// device for the call. A device other than CUDA is a bug.
void with_cuda_stream(const at::Tensor& tensor,
                      const std::function<void(void* cuda_stream)>& compute);

/// Returns the tensor in dense memory: channels last if it is, otherwise contiguous.
at::Tensor in_dense_layout(const at::Tensor& tensor);

/// Returns `tensor` in the memory format of `model`, which is dense and of the same shape.
at::Tensor in_layout_of(const at::Tensor& tensor, const at::Tensor& model);

/// Copies a small host tensor to `device` asynchronously.
at::Tensor sent_to(at::Device device, const at::Tensor& on_host);

/// Upcasts low-precision tensors to float32, which references take; returns others as they are.
at::Tensor upcast(const at::Tensor& tensor);

}  // namespace ganscale::kernels
