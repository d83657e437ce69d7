#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "comm/group.h"

namespace ganscale::comm {

/// Returns a group of one rank: no peers, no threads, tensors of any device.
std::unique_ptr<Group> make_single_group();

/// Runs `body` on `size` threads of this process, each as one rank of a group, and waits for all.
///
/// When a body throws, the ranks that wait for it are woken with PeerLost. A rank that waits longer
/// than `timeout` throws PeerLost, which names the ranks that did not come.
/// Throws: what the first of the failed ranks threw.
void run_ranks(int size, const std::function<void(Group&)>& body,
               std::chrono::milliseconds timeout = std::chrono::minutes(1));

}  // namespace ganscale::comm
