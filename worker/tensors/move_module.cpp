#include "tensors/move_module.h"

#include <ATen/ops/empty_like.h>
#include <torch/nn/module.h>

namespace ganscale {
namespace {

// Layers hold tensors of their own that share these, so the tensor itself changes; set_data(), which
// Module::to() calls, takes no tensor of the meta device for one of the CPU.
void forget_memory(const at::Tensor& tensor) {
  c10::TensorImpl& memory = *tensor.unsafeGetTensorImpl();
  memory.set_storage_keep_dtype(at::empty_like(tensor, at::kMeta).storage());
  memory._change_backend_component_keys(at::kMeta);
}

}  // namespace

void move_module(torch::nn::Module& module, at::Device device, at::ScalarType dtype) {
  if (!device.is_meta()) return module.to(device, dtype);
  module.to(at::kCPU, dtype);
  for (const at::Tensor& parameter : module.parameters()) forget_memory(parameter);
  for (const at::Tensor& buffer : module.buffers()) forget_memory(buffer);
}

}  // namespace ganscale
