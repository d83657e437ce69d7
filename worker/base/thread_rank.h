#pragma once

#include <optional>

#include "base/non_copyable.h"

namespace ganscale {

/// Makes this thread a separate rank while it lives, for runs whose ranks are threads of one
/// process. Threads that it starts belong to the process.
class ThreadRank : NonCopyable {
 public:
  explicit ThreadRank(int rank);
  ~ThreadRank();
};

/// Returns the rank of this thread; nothing if it has none.
std::optional<int> thread_rank();

}  // namespace ganscale
