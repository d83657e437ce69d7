#pragma once

#include <c10/core/StorageImpl.h>

#include <unordered_map>

#include "cost/recorded_call.h"

namespace ganscale::cost {

/// The memory of tensors that live on the meta device at a time, as far as recorded calls made
/// them. Not in it: what else a device needs, such as workspaces of convolutions, and what its
/// allocator loses between tensors.
class LiveMemory {
 public:
  /// Takes note of the results of a call.
  void see(const RecordedCall& call);
  /// Returns the most bytes that lived at a time since the last call, and starts over.
  double take_peak();

 private:
  struct Block {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    double bytes;
  };

  void forget_freed();

  std::unordered_map<const c10::StorageImpl*, Block> blocks_;
  double bytes_ = 0;
  double peak_bytes_ = 0;
};

}  // namespace ganscale::cost
