#include "training/session/rank_threads.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/thread_rank.h"
#include "support/expect_error.h"

namespace ganscale::training {
namespace {

// Threads that start later take over the number that was set last, in any thread; a test must not leave it behind.
class RunOnThreads : public testing::Test {
 protected:
  ~RunOnThreads() override { at::set_num_threads(before_); }

 private:
  const int before_ = at::get_num_threads();
};

TEST_F(RunOnThreads, GivesEachThreadARankAndItsCpuThreads) {
  const RankThreads threads{.count = 2, .cpu_threads = 3, .timeout = std::chrono::minutes(1)};
  std::atomic<int> ranks = 0;
  const ExitCode code = run_on_threads(threads, at::kCPU, [&](comm::Group& group) {
    EXPECT_EQ(group.size(), 2);
    EXPECT_EQ(thread_rank(), group.rank());
    EXPECT_EQ(at::get_num_threads(), 3);
    const at::Tensor sum = at::ones({1});
    group.all_reduce_sum(sum);
    EXPECT_EQ(sum.item<double>(), 2);
    ++ranks;
    return group.rank() == 0 ? ExitCode::kStopped : ExitCode::kOk;
  });
  EXPECT_EQ(code, ExitCode::kStopped);
  EXPECT_EQ(ranks, 2);
  EXPECT_FALSE(thread_rank().has_value());
}

TEST_F(RunOnThreads, ThrowsWhatTheFirstFailedRankThrew) {
  const RankThreads threads{.count = 2, .timeout = std::chrono::minutes(1)};
  expect_error(ExitCode::kData, "shard 3", [&] {
    run_on_threads(threads, at::kCPU, [&](comm::Group& group) {
      if (group.rank() == 1) throw DataError("cannot read: shard 3");
      group.barrier();
      return ExitCode::kOk;
    });
  });
}

void hang_on_one_rank() {
  const RankThreads threads{.count = 2, .timeout = std::chrono::seconds(1)};
  run_on_threads(threads, at::kCPU, [&](comm::Group& group) {
    if (group.rank() == 0) throw DataError("cannot read: shard 3");
    std::this_thread::sleep_for(std::chrono::hours(1));
    return ExitCode::kOk;
  });
}

TEST(RunOnThreadsDeathTest, EndsTheProcessIfARankOutlivesAFailedOne) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(hang_on_one_rank(), testing::ExitedWithCode(75), "end of the other ranks");
}

}  // namespace
}  // namespace ganscale::training
