#pragma once

#include "checkpoint/snapshot.h"

namespace ganscale::checkpoint {

/// A copy of a snapshot in host memory. The next copy reuses its buffers, so only the first one
/// allocates memory.
class HostCopy {
 public:
  /// Copies the snapshot. Its tensors may change once this returns. Tensors on a GPU are copied
  /// into pinned memory. Buffers of tensors that no longer exist are freed.
  void take(const Snapshot& snapshot);
  const Snapshot& get() const { return copy_; }

 private:
  Snapshot copy_;
};

}  // namespace ganscale::checkpoint
