#pragma once

#include <c10/core/Device.h>

#include <memory>
#include <string>

#include "comm/group/group.h"
#include "comm/group/watchdog.h"

namespace ganscale::comm {

/// Returns a group of the same ranks that uses NCCL for tensors on `device` and `host` for those on
/// the CPU. All ranks call it, each with its own GPU.
///
/// An operation on the GPU waits for the current stream and runs on a stream of the group. The
/// current stream then waits for it, except after all_reduce_async(). The host never waits.
///
/// watchdog: watches every operation until the GPU has completed it; may be null.
/// Throws:   ConfigError in a build without CUDA; DeviceError if NCCL fails.
std::unique_ptr<Group> make_nccl_group(std::unique_ptr<Group> host, c10::Device device,
                                       std::shared_ptr<Watchdog> watchdog);

/// Returns the version of NCCL, such as "2.27.3"; "none" in a build without it.
std::string nccl_version();

}  // namespace ganscale::comm
