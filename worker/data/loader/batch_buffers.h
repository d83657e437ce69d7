#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace ganscale::data {

/// The memory of batches. A host buffer that was lent is used again once nobody holds the tensor or
/// a view of it, so that large batches do not map and clear fresh pages each time. Page-locked
/// buffers are always fresh: PyTorch's allocator keeps them, and alone knows when a copy to the
/// device has read them. Not thread safe.
class BatchBuffers {
 public:
  /// shape: of a batch. keep_spare: whether memory of one batch may be kept while nobody uses it.
  BatchBuffers(std::vector<std::int64_t> shape, bool pin_memory, bool keep_spare)
      : shape_(std::move(shape)), pin_memory_(pin_memory), keep_spare_(keep_spare) {}

  /// Returns a buffer to fill: uint8, contents undefined.
  at::Tensor take();
  /// Returns a tensor over a filled buffer for somebody else.
  at::Tensor lend(at::Tensor buffer);
  /// Takes the buffer that was lent last back if nobody holds it.
  void recycle();

 private:
  std::vector<std::int64_t> shape_;
  bool pin_memory_;
  bool keep_spare_;
  at::Tensor spare_;  // or undefined
  at::Tensor lent_;   // or undefined
};

}  // namespace ganscale::data
