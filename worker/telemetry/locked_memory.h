#pragma once

namespace ganscale::telemetry {

/// What determines whether RDMA can register memory.
struct LockedMemory {
  bool has_rdma_devices = false;  ///< /dev/infiniband/uverbs*
  bool is_limited = false;        ///< RLIMIT_MEMLOCK is finite
  bool may_exceed_limit = false;  ///< the process has CAP_IPC_LOCK, which lifts the limit
};

/// Reads it for this process.
LockedMemory locked_memory();

/// Returns whether NCCL silently falls back to TCP because it cannot lock enough memory.
constexpr bool is_too_small(const LockedMemory& memory) {
  return memory.has_rdma_devices && memory.is_limited && !memory.may_exceed_limit;
}

}  // namespace ganscale::telemetry
