#include "data/loader/batch_buffers.h"

#include <ATen/ops/alias.h>
#include <ATen/ops/empty.h>

#include <utility>

namespace ganscale::data {

at::Tensor BatchBuffers::take() {
  if (spare_.defined()) return std::exchange(spare_, at::Tensor());
  return at::empty(shape_, at::TensorOptions(at::kByte).pinned_memory(pin_memory_));
}

at::Tensor BatchBuffers::lend(at::Tensor buffer) {
  if (pin_memory_ || !keep_spare_) return buffer;
  lent_ = std::move(buffer);
  return at::alias(lent_);
}

void BatchBuffers::recycle() {
  // Views share the storage: there are none left if this is its only user.
  if (!lent_.defined() || lent_.storage().use_count() != 1) return;
  spare_ = std::exchange(lent_, at::Tensor());
}

}  // namespace ganscale::data
