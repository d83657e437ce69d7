#include "checkpoint/host_copy.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

namespace ganscale::checkpoint {
namespace {

bool fits(const at::Tensor& buffer, const at::Tensor& tensor) {
  return buffer.scalar_type() == tensor.scalar_type() && buffer.sizes() == tensor.sizes() &&
         buffer.is_pinned() == tensor.is_cuda();
}

at::Tensor new_buffer(const at::Tensor& tensor) {
  return at::empty(tensor.sizes(),
                   at::TensorOptions().dtype(tensor.scalar_type()).pinned_memory(tensor.is_cuda()));
}

/// Fills `buffers` with the tensors' values, in the buffers that are there where they fit.
void copy_tensors(NamedTensors& buffers, const NamedTensors& tensors) {
  std::erase_if(buffers, [&](const auto& buffer) { return !tensors.contains(buffer.first); });
  for (const auto& [name, tensor] : tensors) {
    auto& buffer = buffers[name];
    if (!buffer.defined() || !fits(buffer, tensor)) buffer = new_buffer(tensor);
    buffer.copy_(tensor);
  }
}

}  // namespace

void HostCopy::take(const Snapshot& snapshot) {
  const at::NoGradGuard no_grad;
  copy_.images_seen = snapshot.images_seen;
  copy_.state = snapshot.state;
  copy_.metrics = snapshot.metrics;
  std::erase_if(copy_.files,
                [&](const auto& file) { return !snapshot.files.contains(file.first); });
  for (const auto& [file, tensors] : snapshot.files) copy_tensors(copy_.files[file], tensors);
}

}  // namespace ganscale::checkpoint
