#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include <functional>

#include "kernels/launch/scalar_type.h"

/// Shared by the autograd files: from tensors to the plain functions of kernels.
namespace ganscale::kernels {

/// Returns the scalar type of a dtype. A dtype that no kernel supports is a bug.
ScalarType scalar_type_of(at::ScalarType dtype);

/// The tensors of a kernel, all on one device: one that it updates is in both lists, undefined ones
/// are none.
struct KernelTensors {
  at::TensorList read;
  at::TensorList written;
};

/// Launches one kernel: calls `compute` with the current CUDA stream of the tensors' device, and
/// makes that device current for the call. On the meta device, where tensors have no memory, it
/// does not: only its record shows the launch.
///
/// name: for profiles and counts, as LibTorch's own: "ganscale::upfirdn2d". A literal.
/// A device other than CUDA and meta is a bug.
void launch_on_device(const char* name, const KernelTensors& tensors,
                      const std::function<void(void* cuda_stream)>& compute);

/// Returns the tensor in dense memory: channels last if it is, otherwise contiguous.
at::Tensor in_dense_layout(const at::Tensor& tensor);

/// Returns `tensor` in the memory format of `model`, which is dense and of the same shape.
at::Tensor in_layout_of(const at::Tensor& tensor, const at::Tensor& model);

/// Copies a small host tensor to `device` asynchronously.
at::Tensor sent_to(at::Device device, const at::Tensor& on_host);

/// Returns the number as memory of this dtype holds it.
double stored_as(at::ScalarType dtype, double number);

/// Upcasts low-precision tensors to float32, which references take; returns others as they are.
at::Tensor upcast(const at::Tensor& tensor);
/// Returns whether a tensor has to be upcast for its reference: no kernel takes it.
bool is_low_precision_on_cpu(const at::Tensor& tensor);

}  // namespace ganscale::kernels
