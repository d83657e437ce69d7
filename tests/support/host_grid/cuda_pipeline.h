#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "support/host_grid/cuda_runtime.h"

/// Stands in for CUDA's header of asynchronous copies. A copy is made when its thread waits for it
/// and no sooner; what was there is lost when it starts. So a kernel that does not wait, or that
/// starts a copy while others still read, computes with NaN.

namespace ganscale::host_grid {

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
  std::size_t zeros;  ///< at the end of these bytes, in place of what is at `from`
};

/// What one thread of a block has started, in groups of which the last is open.
struct Copies {
  std::vector<std::vector<Copy>> groups{1};

  void complete_all_but(std::size_t newest) {
    while (groups.size() > newest + 1) {
      for (const Copy& one : groups.front()) {
        std::memcpy(one.to, one.from, one.bytes - one.zeros);
        std::memset(static_cast<char*>(one.to) + one.bytes - one.zeros, 0, one.zeros);
      }
      groups.erase(groups.begin());
    }
  }
};

inline Copies& copies_of_thread() {
  constexpr unsigned kMostThreads = 1024;
  static Copies of_threads[kMostThreads];
  return of_threads[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x];
}

}  // namespace ganscale::host_grid

inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                    std::size_t zeros = 0) {
  std::memset(to, 0xFF, bytes);
  ganscale::host_grid::copies_of_thread().groups.back().push_back({to, from, bytes, zeros});
}

inline void __pipeline_commit() { ganscale::host_grid::copies_of_thread().groups.emplace_back(); }

inline void __pipeline_wait_prior(unsigned newest) {
  ganscale::host_grid::copies_of_thread().complete_all_but(newest);
}
