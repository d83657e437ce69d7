#include <ATen/ATen.h>
#include <ATen/cuda/Sleep.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "collective/device_of_thread.h"
#include "comm/backends/nccl_group.h"
#include "comm/backends/thread_group.h"
#include "device/cuda_graph.h"
#include "device/gpu.h"
#include "support/expect_error.h"

namespace ganscale::comm {
namespace {

/// As many ranks as there are GPUs, at most four, each a thread with its own GPU.
class NcclGroup : public testing::Test {
 protected:
  void SetUp() override {
    if (device::visible_gpu_count() == 0) GTEST_SKIP() << "there is no CUDA device";
  }

  static void run(const std::function<void(Group&, at::Device)>& body) {
    run_ranks(std::min(device::visible_gpu_count(), 4), [&](Group& threads) {
      const at::Device gpu(at::kCUDA, static_cast<at::DeviceIndex>(threads.rank()));
      device::use_device(gpu);
      const auto group = make_nccl_group(threads.split(0), gpu, nullptr);
      body(*group, gpu);
      group->finish();
    });
  }

  /// 1 on rank 0, 2 on rank 1, and so on.
  static at::Tensor number_of(const Group& group, at::Device gpu) {
    return at::full({1000}, group.rank() + 1.0, at::TensorOptions(gpu));
  }
};

TEST_F(NcclGroup, AddsUpInTheBackground) {
  run([](Group& group, at::Device gpu) {
    const auto data = number_of(group, gpu);
    group.all_reduce_async(data);
    group.wait();
    const double expected = group.size() * (group.size() + 1) / 2.0;
    EXPECT_TRUE((data == expected).all().item<bool>());
  });
}

TEST_F(NcclGroup, FindsTheLargest) {
  run([](Group& group, at::Device gpu) {
    const auto data = number_of(group, gpu);
    group.all_reduce_max(data);
    EXPECT_TRUE((data == group.size()).all().item<bool>());
  });
}

TEST_F(NcclGroup, BroadcastsFromTheRoot) {
  run([](Group& group, at::Device gpu) {
    const auto data = number_of(group, gpu);
    group.broadcast(data, group.size() - 1);
    EXPECT_TRUE((data == group.size()).all().item<bool>());
  });
}

TEST_F(NcclGroup, GathersInTheOrderOfTheRanks) {
  run([](Group& group, at::Device gpu) {
    const auto all = group.all_gather(number_of(group, gpu));
    for (int rank = 0; rank < group.size(); ++rank)
      EXPECT_TRUE((all[rank] == rank + 1).all().item<bool>());
  });
}

TEST_F(NcclGroup, LeavesTensorsOfTheCpuToItsHost) {
  run([](Group& group, at::Device) {
    const auto data = at::full({3}, group.rank() + 1.0);
    group.all_reduce_max(data);
    EXPECT_TRUE((data == group.size()).all().item<bool>());
  });
}

TEST_F(NcclGroup, AddsUpInsideACudaGraph) {
  if (device::visible_gpu_count() > 1) GTEST_SKIP() << "repeated work is of one GPU per process";
  run([](Group& group, at::Device gpu) {
    const auto data = at::zeros({1000}, at::TensorOptions(gpu));
    device::CudaGraph work(gpu, [&] {
      data.add_(1);
      group.all_reduce_async(data);
      group.wait();
    });
    for (int i = 1; i <= 6; ++i) {  // three are ordinary, three repeated
      work.run();
      group.watch_stream();
      EXPECT_TRUE((data == i).all().item<bool>());
    }
  });
}

// The device of a thread is where a call without one opens a context.
TEST_F(NcclGroup, IsWatchedByAThreadOnItsOwnDevice) {
  if (device::visible_gpu_count() < 2) GTEST_SKIP() << "there are fewer than two CUDA devices";
  const at::Device gpu(at::kCUDA, 1);
  device::use_device(gpu);
  const auto watchdog =
      std::make_shared<Watchdog>(std::chrono::minutes(1), [](const Watchdog::Overdue&) {});
  const auto group = make_nccl_group(make_single_group(), gpu, watchdog);
  group->all_reduce_sum(number_of(*group, gpu));
  EXPECT_EQ(device_of_thread(*watchdog), gpu.index());
  group->finish();
}

// The last run waits for the device, which no capture allows.
TEST_F(NcclGroup, OutlivesACaptureThatFails) {
  if (device::visible_gpu_count() > 1) GTEST_SKIP() << "repeated work is of one GPU per process";
  run([](Group& group, at::Device gpu) {
    const auto data = at::ones({1000}, at::TensorOptions(gpu));
    int runs = 0;
    device::CudaGraph work(gpu, [&] {
      group.all_reduce_async(data);
      group.wait();
      if (++runs == 4) data.sum().item<float>();
    });
    for (int i = 0; i < 3; ++i) work.run();
    expect_error(ExitCode::kDevice, "cannot capture a CUDA graph", [&] { work.run(); });
    group.all_reduce_sum(data);
    EXPECT_TRUE((data == 1).all().item<bool>());
  });
}

TEST_F(NcclGroup, RunsOperationsOfASplitGroupAfterItsOwn) {
  run([](Group& group, at::Device gpu) {
    const auto own = group.split(group.rank());
    const auto data = number_of(group, gpu);
    const auto other = c10::cuda::getStreamFromPool(/*isHighPriority=*/false, gpu.index());
    constexpr std::int64_t kCycles = 1'000'000'000;  // about half a second
    at::cuda::sleep(kCycles);
    c10::cuda::CUDAEvent slept;
    slept.record();
    group.all_reduce_async(data);
    {
      const c10::cuda::CUDAStreamGuard guard(other);
      own->all_reduce_sum(at::ones({10}, at::TensorOptions(gpu)));
    }
    other.synchronize();
    EXPECT_TRUE(slept.query());
    group.wait();
    own->finish();
  });
}

TEST_F(NcclGroup, SplitsIntoGroupsThatWorkAlone) {
  run([](Group& group, at::Device gpu) {
    const auto own = group.split(group.rank());
    const auto data = number_of(group, gpu);
    own->all_reduce_sum(data);
    EXPECT_TRUE((data == group.rank() + 1).all().item<bool>());
    own->finish();
  });
}

}  // namespace
}  // namespace ganscale::comm
