#include "base/host.h"

#include <malloc.h>

namespace ganscale {

void keep_freed_host_memory() {
  constexpr int kLargestOnHeap = 32 << 20;  // bytes: the most that M_MMAP_THRESHOLD may be
  constexpr int kNever = -1;
  mallopt(M_MMAP_THRESHOLD, kLargestOnHeap);
  mallopt(M_TRIM_THRESHOLD, kNever);
}

}  // namespace ganscale
