#include "telemetry/locked_memory.h"

#include <linux/capability.h>
#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace ganscale::telemetry {
namespace {

bool has_rdma_devices() {
  std::error_code none;
  for (const auto& device : std::filesystem::directory_iterator("/dev/infiniband", none)) {
    if (device.path().filename().string().starts_with("uverbs")) return true;
  }
  return false;
}

/// proc(5): the line CapEff of status, a hexadecimal mask.
std::uint64_t effective_capabilities() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t mask = 0;
    if (word == "CapEff:" && status >> std::hex >> mask) return mask;
  }
  return 0;
}

}  // namespace

LockedMemory locked_memory() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  return {.has_rdma_devices = has_rdma_devices(),
          .is_limited = limit.rlim_cur != RLIM_INFINITY,
          .may_exceed_limit = (effective_capabilities() >> CAP_IPC_LOCK & 1) != 0};
}

}  // namespace ganscale::telemetry
