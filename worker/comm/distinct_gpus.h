#pragma once

#include "comm/group/group.h"
#include "device/gpu.h"

namespace ganscale::comm {

/// Checks that no two ranks have the same GPU, which NCCL refuses. All ranks call it.
///
/// host: a group that takes tensors on the CPU.
/// gpu:  this rank's.
/// Throws: ConfigError on all ranks, with the ranks that share a GPU.
void require_distinct_gpus(Group& host, const device::GpuId& gpu);

}  // namespace ganscale::comm
