#pragma once

#include <optional>

namespace ganscale {

/// Makes this thread a separate rank while it lives, for runs whose ranks are threads of one
/// process. Threads that it starts belong to the process.
class ThreadRank {
 public:
  explicit ThreadRank(int rank);
  ~ThreadRank();
  ThreadRank(const ThreadRank&) = delete;
  ThreadRank& operator=(const ThreadRank&) = delete;
};

/// Returns the rank of this thread; nothing if it has none.
std::optional<int> thread_rank();

}  // namespace ganscale
