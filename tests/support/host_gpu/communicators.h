#pragma once

#include <string>
#include <vector>

/// NCCL without a GPU, for ranks that are threads of one process: communicators.cpp defines the
/// functions of nccl.h. As NCCL, it waits where a peer is missing, and a message is not stored on its
/// way. Unlike NCCL, it tells what its callers did wrong.
namespace ganscale::host_gpu {

/// Returns what was wrong with calls of NCCL since the last time: a communicator that is ended twice,
/// destroyed before it was finalized or used after its end; ranks whose collectives differ in kind,
/// count, type, root or reduction, which then end; the stream of another device; two ranks on one.
std::vector<std::string> take_mistakes();

/// Aborts the communicators that are neither destroyed nor aborted, and returns how many there were.
int abort_open_communicators();

/// Has NCCL notice that the rank on this device is gone: from now on its peers have the asynchronous
/// error ncclRemoteError, and what they or ranks of a communicator that is just being opened wait for
/// outside a stream fails with it.
void lose(int device);

}  // namespace ganscale::host_gpu
