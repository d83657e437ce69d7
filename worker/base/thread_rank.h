#pragma once

#include <optional>

namespace ganscale {

/// Makes this thread a rank of its own while it lives, where the ranks of a run are threads of one
/// process. Threads that it starts belong to the process.
class ThreadRank {
 public:
  explicit ThreadRank(int rank);
  ~ThreadRank();
  ThreadRank(const ThreadRank&) = delete;
  ThreadRank& operator=(const ThreadRank&) = delete;
};

/// Returns the rank of this thread; nothing where it has none.
std::optional<int> thread_rank();

}  // namespace ganscale
