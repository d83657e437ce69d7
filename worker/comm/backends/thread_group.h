#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "comm/group/group.h"

namespace ganscale::comm {

/// Returns a group of one rank: no peers, no threads, tensors on any device.
std::unique_ptr<Group> make_single_group();

/// Runs `body` on `size` threads of this process, each as a rank of one group, and joins them.
///
/// When a body throws, ranks that wait for it throw PeerLost. A rank that waits longer than
/// `timeout` throws PeerLost, which names the missing ranks.
/// Throws: what the first failed rank threw.
void run_ranks(int size, const std::function<void(Group&)>& body,
               std::chrono::milliseconds timeout = std::chrono::minutes(1));

}  // namespace ganscale::comm
