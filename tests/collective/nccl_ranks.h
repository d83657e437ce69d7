#pragma once

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAFunctions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "comm/backends/nccl_group.h"
#include "comm/backends/thread_group.h"
#include "support/host_gpu/communicators.h"

namespace ganscale::comm {

/// Returns the GPU of a rank, and makes it the one of this thread.
inline at::Device use_gpu_of(const Group& group) {
  const at::Device gpu(at::kCUDA, static_cast<at::DeviceIndex>(group.rank()));
  c10::cuda::set_device(gpu.index());
  return gpu;
}

/// Runs `body` on ranks that are threads, each with a GPU (tests/support/host_gpu), in a group of NCCL,
/// which it finishes. What takes longer than the timeout ends the program with 75.
inline void run_gpus(int size, const std::function<void(Group& group, at::Device gpu)>& body,
                     std::chrono::milliseconds timeout = std::chrono::minutes(1)) {
  run_ranks(size, [&](Group& threads) {
    const at::Device gpu = use_gpu_of(threads);
    const auto group =
        make_nccl_group(threads.split(0), gpu, make_process_watchdog(timeout, threads.rank()));
    body(*group, gpu);
    group->finish();
  });
}

/// Expects that NCCL was called without mistakes, and that every communicator has ended.
inline void expect_no_mistakes() {
  EXPECT_THAT(host_gpu::take_mistakes(), testing::IsEmpty());
  EXPECT_EQ(host_gpu::abort_open_communicators(), 0);
}

}  // namespace ganscale::comm
