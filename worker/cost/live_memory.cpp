#include "cost/live_memory.h"

#include <algorithm>
#include <utility>

namespace ganscale::cost {

void LiveMemory::see(const RecordedCall& call) {
  forget_freed();
  for (const at::Tensor& tensor : device_tensors_of(call.outputs)) {
    const c10::Storage& storage = tensor.storage();
    const auto bytes = static_cast<double>(storage.nbytes());
    // Held weakly, a block keeps its address to itself.
    const bool is_new =
        blocks_
            .try_emplace(storage.unsafeGetStorageImpl(), Block{storage.getWeakStorageImpl(), bytes})
            .second;
    if (is_new) bytes_ += bytes;
  }
  peak_bytes_ = std::max(peak_bytes_, bytes_);
}

double LiveMemory::take_peak() {
  forget_freed();
  return std::exchange(peak_bytes_, bytes_);
}

void LiveMemory::forget_freed() {
  std::erase_if(blocks_, [&](const auto& entry) {
    const Block& block = entry.second;
    if (!block.storage.expired()) return false;
    bytes_ -= block.bytes;
    return true;
  });
}

}  // namespace ganscale::cost
