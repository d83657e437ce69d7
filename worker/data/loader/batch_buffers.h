#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace ganscale::data {

/// Host memory of batches. A buffer that was lent is reused once no tensor holds it or a view
/// of it, so that large batches do not map and clear new pages each time. Pinned buffers are always
/// new: PyTorch's allocator caches them, and only it knows when a copy to the device is done. Not
/// thread safe.
class BatchBuffers {
 public:
  /// shape: of a batch. keep_spare: whether to keep the memory of one batch while it is unused.
  BatchBuffers(std::vector<std::int64_t> shape, bool pin_memory, bool keep_spare)
      : shape_(std::move(shape)), pin_memory_(pin_memory), keep_spare_(keep_spare) {}

  /// Returns a buffer to fill: uint8, contents undefined.
  at::Tensor take();
  /// Returns a tensor over a filled buffer for the consumer.
  at::Tensor lend(at::Tensor buffer);
  /// Takes back the buffer that was lent last, unless it is still held.
  void recycle();

 private:
  std::vector<std::int64_t> shape_;
  bool pin_memory_;
  bool keep_spare_;
  at::Tensor spare_;  // or undefined
  at::Tensor lent_;   // or undefined
};

}  // namespace ganscale::data
