#include "comm/backends/shared_cores.h"

#include <alloca.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <string_view>

namespace ganscale::comm {

// The C library is not initialized yet either: no getenv(), no memory of its own.
void wait_passively(int /*argument_count*/, char** arguments, char** environment) {
  static char policy[] = "OMP_WAIT_POLICY=passive";
  // Some microseconds: waking a thread for each short loop takes a fourth of a small network's rate.
  static char few_spins[] = "GOMP_SPINCOUNT=1000";
  std::size_t count = 0;
  for (; environment[count] != nullptr; ++count) {
    const std::string_view variable = environment[count];
    if (variable.starts_with("OMP_WAIT_POLICY=") || variable.starts_with("GOMP_SPINCOUNT=")) return;
  }
  // By its name, which ps and killall then show.
  std::array<char, PATH_MAX> program{};
  if (readlink("/proc/self/exe", program.data(), program.size() - 1) < 0) return;
  auto** const extended = static_cast<char**>(alloca((count + 3) * sizeof(char*)));
  char** end = std::copy_n(environment, count, extended);
  for (char* const variable : {policy, few_spins, static_cast<char*>(nullptr)}) *end++ = variable;
  execve(program.data(), arguments, extended);  // returns only if it fails: the threads then spin
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
