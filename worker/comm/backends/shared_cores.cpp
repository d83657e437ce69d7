#include "comm/backends/shared_cores.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace ganscale::comm {

void wait_passively(char** argv) {
  constexpr const char* kPolicy = "OMP_WAIT_POLICY";
  constexpr const char* kSpins = "GOMP_SPINCOUNT";
  // Some microseconds: waking a thread for each short loop takes a fourth of a small network's rate.
  constexpr const char* kFewSpins = "1000";
  if (std::getenv(kPolicy) != nullptr || std::getenv(kSpins) != nullptr) return;
  std::error_code error;
  // By its name, which ps and killall then show.
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return;
  setenv(kPolicy, "passive", /*overwrite=*/0);
  setenv(kSpins, kFewSpins, /*overwrite=*/0);
  execv(program.c_str(), argv);  // returns only if it fails: the threads then spin
}

std::vector<int> allowed_cores() {
  cpu_set_t allowed;
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  }
  return cores;
}

std::vector<int> share_of_cores(const std::vector<int>& cores, int rank, int size) {
  const int count = static_cast<int>(cores.size());
  if (count < size) return cores;
  const int even = count / size;
  const int larger = count % size;  // ranks with one more
  const auto first = cores.begin() + rank * even + std::min(rank, larger);
  return {first, first + even + (rank < larger ? 1 : 0)};
}

void bind_to_share(int rank, int size) {
  cpu_set_t share;
  CPU_ZERO(&share);
  const std::vector<int> cores = share_of_cores(allowed_cores(), rank, size);
  if (cores.empty()) return;
  for (const int core : cores) CPU_SET(core, &share);
  sched_setaffinity(0, sizeof share, &share);
}

}  // namespace ganscale::comm
