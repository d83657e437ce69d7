#include "base/host.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace ganscale {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string environment_variable(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return "";
}

void keep_freed_host_memory() {
  constexpr int kLargestOnHeap = 32 << 20;  // bytes: the most that M_MMAP_THRESHOLD may be
  constexpr int kNever = -1;
  mallopt(M_MMAP_THRESHOLD, kLargestOnHeap);
  mallopt(M_TRIM_THRESHOLD, kNever);
}

void raise_open_file_limit() {
  constexpr rlim_t kEnough = 1 << 16;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kEnough));
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace ganscale
