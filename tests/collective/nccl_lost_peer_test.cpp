#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <string>
#include <thread>

#include "collective/nccl_ranks.h"
#include "support/expect_error.h"
#include "support/host_gpu/gpu_tensors.h"

namespace ganscale::comm {
namespace {

using host_gpu::on_gpu;
using std::chrono::milliseconds;

constexpr milliseconds kTimeout{4000};
constexpr std::chrono::hours kForever{1};

/// Ranks are threads, and the first whose time is up ends the program: each case runs in one of its own.
class NcclDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

testing::Matcher<const std::string&> waits_in(const std::string& operation) {
  return testing::HasSubstr("  operation=" + operation + "  seconds=");
}

void add_up_in_different_orders() {
  run_gpus(
      2,
      [](Group& gradients, at::Device gpu) {
        const auto statistics = gradients.split(0);
        Group& first = gradients.rank() == 0 ? gradients : *statistics;
        Group& second = gradients.rank() == 0 ? *statistics : gradients;
        first.all_reduce_async(on_gpu(at::ones({3}), gpu));
        second.all_reduce_async(on_gpu(at::ones({3}), gpu));
        gradients.wait();
        statistics->wait();
      },
      kTimeout);
}

// The same on all ranks but for the order of two groups, which share a stream.
TEST_F(NcclDeathTest, GradientsAndStatisticsInDifferentOrdersEndWithPeerLost) {
  EXPECT_EXIT(add_up_in_different_orders(), testing::ExitedWithCode(75),
              waits_in("all_reduce_sum"));
}

void hang_in_a_collective() {
  run_gpus(
      3,
      [](Group& group, at::Device gpu) {
        if (group.rank() == 1) std::this_thread::sleep_for(kForever);
        group.broadcast(on_gpu(at::ones({3}), gpu), 0);
      },
      kTimeout);
}

TEST_F(NcclDeathTest, AHungPeerEndsTheOthersWithPeerLost) {
  EXPECT_EXIT(hang_in_a_collective(), testing::ExitedWithCode(75),
              testing::AllOf(waits_in("broadcast"),
                             testing::AnyOf(testing::HasSubstr("waiting_rank=0"),
                                            testing::HasSubstr("waiting_rank=2")),
                             testing::Not(testing::HasSubstr("waiting_rank=1"))));
}

void die_before_the_communicator_is_open() {
  run_ranks(2, [](Group& threads) {
    const auto gpu = use_gpu_of(threads);
    auto host = threads.split(0);
    if (threads.rank() == 1) {
      host->broadcast(at::empty({128}, at::kByte), 0);  // the id
      throw DataError("broken record");
    }
    make_nccl_group(std::move(host), gpu, make_process_watchdog(kTimeout, threads.rank()));
  });
}

TEST_F(NcclDeathTest, ARankThatDiesInInitEndsTheOthersWithPeerLost) {
  EXPECT_EXIT(die_before_the_communicator_is_open(), testing::ExitedWithCode(75),
              testing::AllOf(testing::HasSubstr("waiting_rank=0"), waits_in("ncclCommInitRank")));
}

void hang_in_finish() {
  run_gpus(
      2,
      [](Group& group, at::Device) {
        if (group.rank() == 0) return;
        group.barrier();  // that of rank 0's finish()
        std::this_thread::sleep_for(kForever);
      },
      kTimeout);
}

TEST_F(NcclDeathTest, APeerThatHangsInFinishEndsTheOthersWithPeerLost) {
  EXPECT_EXIT(hang_in_finish(), testing::ExitedWithCode(75),
              testing::AllOf(testing::HasSubstr("waiting_rank=0"), waits_in("finish")));
}

class LostPeerOfNccl : public testing::Test {
 protected:
  void TearDown() override { expect_no_mistakes(); }
};

TEST_F(LostPeerOfNccl, DestroyingAGroupAbortsACollectiveThatHangs) {
  run_ranks(2, [](Group& threads) {
    const auto gpu = use_gpu_of(threads);
    auto group = make_nccl_group(threads.split(0), gpu, nullptr);
    const auto data = at::ones({3});
    if (group->rank() == 0) group->all_reduce_async(on_gpu(data, gpu));
    group.reset();
    EXPECT_TRUE((data == 1).all().item<bool>());
  });
}

TEST_F(LostPeerOfNccl, AnErrorOfARankAbortsItsCommunicators) {
  expect_error(ExitCode::kData, "broken record", [] {
    run_gpus(2, [](Group& group, at::Device gpu) {
      const auto part = group.split(0);
      part->all_reduce_async(on_gpu(at::ones({3}), gpu));
      throw DataError("broken record");
    });
  });
}

/// Rank 0 waits for rank 1, which never comes, until `lost` says what the watchdog does.
void lose_rank_1(std::promise<std::string>& lost) {
  run_ranks(2, [&](Group& threads) {
    const auto gpu = use_gpu_of(threads);
    const auto watchdog = std::make_shared<Watchdog>(
        std::chrono::seconds(100),
        [&](const Watchdog::Overdue& overdue) { lost.set_value(overdue.operation); });
    const auto group = make_nccl_group(threads.split(0), gpu, watchdog);
    threads.barrier();  // a rank that is still in init would end with the loss
    if (group->rank() == 1) {
      threads.barrier();
      return;
    }
    group->all_reduce_async(on_gpu(at::ones({3}), gpu));
    host_gpu::lose(1);
    EXPECT_EQ(
        lost.get_future().get(),
        "all_reduce_sum, which failed: an operation failed: remote process exited or there was a "
        "network error: a connection was closed by a peer");
    expect_error(ExitCode::kPeerLost, "broadcast failed: remote process exited",
                 [&] { group->broadcast(on_gpu(at::ones({3}), gpu), 0); });
    threads.barrier();
  });
}

TEST_F(LostPeerOfNccl, AnAsynchronousErrorIsReportedAtOnce) {
  std::promise<std::string> lost;
  lose_rank_1(lost);
}

TEST_F(LostPeerOfNccl, InInitIsPeerLostIfNcclNotices) {
  expect_error(ExitCode::kPeerLost, "ncclCommInitRank failed: remote process exited", [] {
    run_ranks(2, [](Group& threads) {
      const auto gpu = use_gpu_of(threads);
      auto host = threads.split(0);
      if (threads.rank() == 0) make_nccl_group(std::move(host), gpu, nullptr);
      host->broadcast(at::empty({128}, at::kByte), 0);
      host_gpu::lose(1);
    });
  });
}

TEST_F(LostPeerOfNccl, InFinishIsPeerLostIfNcclNotices) {
  expect_error(ExitCode::kPeerLost, "ncclCommFinalize failed: remote process exited", [] {
    run_ranks(2, [](Group& threads) {
      const auto gpu = use_gpu_of(threads);
      const auto group = make_nccl_group(threads.split(0), gpu, nullptr);
      if (group->rank() == 0) return group->finish();
      group->barrier();
      host_gpu::lose(1);
    });
  });
}

}  // namespace
}  // namespace ganscale::comm
