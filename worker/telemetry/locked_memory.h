#pragma once

namespace ganscale::telemetry {

/// What decides whether RDMA can register memory.
struct LockedMemory {
  bool has_rdma_devices = false;  ///< /dev/infiniband/uverbs*
  bool is_limited = false;        ///< RLIMIT_MEMLOCK is finite
  bool may_exceed_limit = false;  ///< the process has CAP_IPC_LOCK, which lifts the limit
};

/// Reads that of this process.
LockedMemory locked_memory();

/// Whether NCCL falls back to TCP, silently, for want of memory that it may lock.
constexpr bool is_too_small(const LockedMemory& memory) {
  return memory.has_rdma_devices && memory.is_limited && !memory.may_exceed_limit;
}

}  // namespace ganscale::telemetry
