#pragma once

#include <cuda_runtime_api.h>

#include <functional>

/// CUDA's runtime without a GPU: what c10_cuda and the group of NCCL call of it. The memory of a
/// device is the host's. A stream carries out its work in order, on a thread of its own. A device's
/// default stream, on which tests compute, is the calling thread: it is never behind, and waits at
/// once for an event. Nothing is captured.
namespace ganscale::host_gpu {

inline constexpr int kDeviceCount = 4;

/// Has a stream carry out `work` after what it was given before; the default stream does so at once.
void enqueue(cudaStream_t stream, std::function<void()> work);

/// Returns the device of a stream; -1 for the default stream, which each device has.
int device_of(cudaStream_t stream);

}  // namespace ganscale::host_gpu
