#include "comm/backends/nccl_group.h"

#include <ATen/ATen.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <tuple>

#include "collective/device_of_thread.h"
#include "collective/group_claims.h"
#include "collective/nccl_ranks.h"
#include "support/expect_error.h"
#include "support/host_gpu/gpu_tensors.h"
#include "support/host_gpu/group_on_gpu.h"
#include "support/host_gpu/runtime.h"
#include "support/wait_until.h"

namespace ganscale::comm {
namespace {

using c10::cuda::getStreamFromPool;
using host_gpu::on_gpu;
using SizeAndClaim = std::tuple<int, GroupClaim>;

class NcclGroupOfSize : public testing::TestWithParam<SizeAndClaim> {
 protected:
  void TearDown() override { expect_no_mistakes(); }
};

TEST_P(NcclGroupOfSize, KeepsTheClaim) {
  const auto& [size, claim] = GetParam();
  run_gpus(size, [body = claim.body](Group& group, at::Device gpu) {
    host_gpu::GroupOnGpu on_gpus(group, gpu);
    body(on_gpus);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, NcclGroupOfSize,
                         testing::Combine(testing::Values(1, 2, 4),
                                          testing::ValuesIn(group_claims())),
                         [](const auto& info) {
                           return std::get<1>(info.param).name +
                                  std::to_string(std::get<0>(info.param));
                         });

class NcclGroup : public testing::Test {
 protected:
  void TearDown() override { expect_no_mistakes(); }
};

TEST_F(NcclGroup, LeavesTensorsOfTheCpuToItsHost) {
  for (const auto& claim : operation_claims()) {
    run_gpus(2, [&](Group& group, at::Device) { claim.body(group); });
  }
}

TEST_F(NcclGroup, SendsTensorsOfTheGpuInOrder) {
  run_gpus(2, [](Group& group, at::Device gpu) {
    for (int i = 0; i < 3; ++i) {
      const auto data = at::full({5}, group.rank() == 1 ? i : -1, at::kInt);
      if (group.rank() == 1) group.send_async(on_gpu(data, gpu), 0);
      if (group.rank() == 0) group.receive(on_gpu(data, gpu), 1);
      group.wait();
      EXPECT_TRUE((data == i).all().item<bool>());
    }
  });
}

TEST_F(NcclGroup, WaitsUntilATensorIsSentAndMayBeOverwritten) {
  run_gpus(2, [](Group& group, at::Device gpu) {
    const auto data = at::full({5}, group.rank());
    if (group.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      group.receive(on_gpu(data, gpu), 1);
      EXPECT_TRUE((data == 1).all().item<bool>());
    } else {
      group.send_async(on_gpu(data, gpu), 0);
      group.wait();
      data.zero_();
    }
  });
}

TEST_F(NcclGroup, DoesNotHaveTheHostWait) {
  run_gpus(2, [](Group& group, at::Device gpu) {
    const auto current = getStreamFromPool(/*isHighPriority=*/false, gpu.index());
    const c10::cuda::CUDAStreamGuard guard(current);
    const auto data = at::ones({3});
    if (group.rank() == 1) group.barrier();
    group.all_reduce_sum(on_gpu(data, gpu));
    if (group.rank() == 0) {
      EXPECT_FALSE(current.query());
      group.barrier();
    }
    current.synchronize();
    EXPECT_TRUE((data == 2).all().item<bool>());
  });
}

TEST_F(NcclGroup, RunsAnOperationAfterTheWorkOfTheCurrentStream) {
  run_gpus(2, [](Group& group, at::Device gpu) {
    const auto current = getStreamFromPool(/*isHighPriority=*/false, gpu.index());
    const c10::cuda::CUDAStreamGuard guard(current);
    const auto data = at::zeros({3});
    std::promise<void> compute;
    host_gpu::enqueue(current.stream(), [&] {
      compute.get_future().wait();
      data.fill_(1);
    });
    group.all_reduce_sum(on_gpu(data, gpu));
    compute.set_value();
    current.synchronize();
    EXPECT_TRUE((data == 2).all().item<bool>());
  });
}

TEST_F(NcclGroup, RunsOperationsOfASplitGroupAfterItsOwn) {
  run_gpus(2, [](Group& group, at::Device gpu) {
    const auto own = group.split(group.rank());
    const auto other = getStreamFromPool(/*isHighPriority=*/false, gpu.index());
    if (group.rank() == 1) group.barrier();
    group.all_reduce_async(on_gpu(at::ones({3}), gpu));
    {
      const c10::cuda::CUDAStreamGuard guard(other);
      own->all_reduce_sum(on_gpu(at::ones({3}), gpu));
    }
    if (group.rank() == 0) {
      EXPECT_FALSE(other.query());
      group.barrier();
    }
    other.synchronize();
    own->finish();
  });
}

TEST_F(NcclGroup, KeepsTheMemoryOfAnOperationUntilItEnds) {
  run_gpus(2, [](Group& group, at::Device gpu) {
    std::array<float, 3> memory{1, 1, 1};
    std::atomic<bool> released = false;
    if (group.rank() == 1) group.barrier();
    group.all_reduce_async(on_gpu(
        at::from_blob(memory.data(), {3}, [&](void*) { released = true; }, at::kFloat), gpu));
    if (group.rank() == 0) {
      EXPECT_FALSE(released);
      group.barrier();
    }
    group.wait();
    EXPECT_EQ(memory.front(), 2);
    wait_until([&] { return released.load(); });
  });
}

TEST_F(NcclGroup, IsWatchedByAThreadOnItsOwnDevice) {
  run_ranks(2, [](Group& threads) {
    const auto gpu = use_gpu_of(threads);
    const auto watchdog =
        std::make_shared<Watchdog>(std::chrono::minutes(1), [](const Watchdog::Overdue&) {});
    const auto group = make_nccl_group(threads.split(0), gpu, watchdog);
    group->all_reduce_sum(on_gpu(at::ones({3}), gpu));
    EXPECT_EQ(device_of_thread(*watchdog), gpu.index());
    group->finish();
  });
}

TEST_F(NcclGroup, FinishesWhatIsStillRunning) {
  run_gpus(2, [](Group& group, at::Device gpu) {
    const auto data = at::ones({3});
    group.all_reduce_async(on_gpu(data, gpu));
    const auto part = group.split(0);
    part->all_reduce_async(on_gpu(at::ones({3}), gpu));
    part->finish();
    EXPECT_TRUE((data == 2).all().item<bool>());
  });
}

TEST_F(NcclGroup, RefusesATensorOfAnotherGpu) {
  run_gpus(1, [](Group& group, at::Device) {
    expect_error(ExitCode::kBug, "another device than its group: cuda:1",
                 [&] { group.all_reduce_sum(on_gpu(at::ones({3}), at::Device(at::kCUDA, 1))); });
  });
}

TEST_F(NcclGroup, RefusesATensorWithGaps) {
  run_gpus(1, [](Group& group, at::Device gpu) {
    expect_error(ExitCode::kBug, "contiguous",
                 [&] { group.all_reduce_async(on_gpu(at::ones({4, 4}).select(1, 0), gpu)); });
  });
}

TEST_F(NcclGroup, RefusesADtypeThatNcclCannotAdd) {
  run_gpus(1, [](Group& group, at::Device gpu) {
    expect_error(ExitCode::kBug, "Bool",
                 [&] { group.all_reduce_sum(on_gpu(at::ones({1}, at::kBool), gpu)); });
  });
}

TEST_F(NcclGroup, RefusesOperationsOnceItIsFinished) {
  run_ranks(1, [](Group& threads) {
    const auto gpu = use_gpu_of(threads);
    const auto group = make_nccl_group(threads.split(0), gpu, nullptr);
    group->finish();
    expect_error(ExitCode::kDevice, "all_reduce_sum failed",
                 [&] { group->all_reduce_sum(on_gpu(at::ones({3}), gpu)); });
  });
  EXPECT_THAT(host_gpu::take_mistakes(), testing::SizeIs(1));
}

}  // namespace
}  // namespace ganscale::comm
