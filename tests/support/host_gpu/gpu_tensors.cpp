#include "support/host_gpu/gpu_tensors.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/cuda/CUDAMacros.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <memory>
#include <optional>
#include <vector>

#include "support/host_gpu/runtime.h"

namespace c10::cuda::_internal {
C10_CUDA_API void setHasPrimaryContext(bool (*function)(DeviceIndex));
}

namespace ganscale::host_gpu {
namespace {

/// The memory of a tensor of a GPU, and who used it.
struct Block {
  at::Tensor memory;
  std::vector<cudaStream_t> streams;
};

/// As LibTorch's allocator, it keeps the memory until the streams have done what they now have.
void release(void* context) {
  const std::shared_ptr<Block> block(static_cast<Block*>(context));
  for (cudaStream_t stream : std::exchange(block->streams, {})) enqueue(stream, [block] {});
}

void record_stream(at::Tensor& data, c10::Stream stream) {
  auto* block = static_cast<Block*>(data.storage().data_ptr().get_context());
  block->streams.push_back(c10::cuda::CUDAStream(stream).stream());
}

// The only operators that a group needs. LibTorch's, in libtorch_cuda, are not loaded.
TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  library.impl(
      "empty.memory_format",
      [](at::IntArrayRef sizes, std::optional<at::ScalarType> dtype,
         std::optional<at::Layout> /*layout*/, std::optional<at::Device> device,
         std::optional<bool> /*pin_memory*/, std::optional<at::MemoryFormat> /*memory_format*/) {
        return on_gpu(at::empty(sizes, at::TensorOptions().dtype(dtype)), *device);
      });
  library.impl("record_stream", record_stream);
  // libtorch_cuda sets it, for guards of the device.
  c10::cuda::_internal::setHasPrimaryContext([](c10::DeviceIndex) { return true; });
}

}  // namespace

at::Tensor on_gpu(const at::Tensor& data, at::Device gpu) {
  return at::for_blob(data.data_ptr(), data.sizes())
      .strides(data.strides())
      .context(new Block{.memory = data.detach(), .streams = {}}, release)
      .options(data.options().device(gpu))
      .target_device(gpu)
      .make_tensor();
}

at::Tensor on_cpu(const at::Tensor& data) {
  return at::from_blob(
      data.data_ptr(), data.sizes(), data.strides(), [data](void*) {},
      data.options().device(at::kCPU));
}

}  // namespace ganscale::host_gpu
