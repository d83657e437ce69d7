#pragma once

#include "checkpoint/snapshot.h"

namespace ganscale::checkpoint {

/// Holds a copy of a snapshot in host memory whose buffers are used again by the next copy: only
/// the first one pays for new memory.
class HostCopy {
 public:
  /// Copies the snapshot; when it returns, the training may change its tensors. A tensor on a GPU
  /// is copied into pinned memory. Buffers of names that are gone are freed.
  void take(const Snapshot& snapshot);
  const Snapshot& get() const { return copy_; }

 private:
  Snapshot copy_;
};

}  // namespace ganscale::checkpoint
