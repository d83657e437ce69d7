#pragma once

#include <c10/core/Device.h>

#include <memory>

#include "comm/group.h"
#include "comm/watchdog.h"

namespace ganscale::comm {

/// Returns a group of the same ranks that takes tensors of `device` through NCCL, and those of the
/// CPU through `host`. All ranks call it, each with a GPU of its own.
///
/// An operation on the GPU is ordered behind the current stream, runs on a stream of the group and,
/// but for all_reduce_async, has the current stream wait for it; the host does not wait.
///
/// watchdog: watches every operation until the GPU has done it; may be none.
/// Throws:   ConfigError in a build without CUDA; DeviceError where NCCL fails.
std::unique_ptr<Group> make_nccl_group(std::unique_ptr<Group> host, c10::Device device,
                                       std::shared_ptr<Watchdog> watchdog);

}  // namespace ganscale::comm
