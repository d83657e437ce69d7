#include "comm/backends/thread_group.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <tuple>

#include "collective/group_claims.h"
#include "support/expect_error.h"

namespace ganscale::comm {
namespace {

using std::chrono::milliseconds;
using SizeAndClaim = std::tuple<int, GroupClaim>;

class ThreadGroupOfSize : public testing::TestWithParam<SizeAndClaim> {};

TEST_P(ThreadGroupOfSize, KeepsTheClaim) {
  const auto& [size, claim] = GetParam();
  run_ranks(size, claim.body);
}

std::string claim_and_size(const testing::TestParamInfo<SizeAndClaim>& info) {
  return std::get<1>(info.param).name + std::to_string(std::get<0>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Ranks, ThreadGroupOfSize,
                         testing::Combine(testing::Values(1, 2, 4),
                                          testing::ValuesIn(group_claims())),
                         claim_and_size);

TEST(SingleGroup, KeepsEveryClaim) {
  for (const auto& claim : group_claims()) claim.body(*make_single_group());
}

TEST(ThreadGroup, RethrowsTheFirstErrorAndWakesTheOthersWithPeerLost) {
  std::atomic<int> woken = 0;
  expect_error(ExitCode::kData, "broken record", [&] {
    run_ranks(3, [&](Group& group) {
      if (group.rank() == 1) throw DataError("broken record");
      try {
        group.all_reduce_sum(at::ones({1}));
      } catch (const PeerLost& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("rank 1 failed"));
        ++woken;
        throw;
      }
    });
  });
  EXPECT_EQ(woken, 2);
}

TEST(ThreadGroup, TimeOutIsPeerLostThatNamesTheMissingRank) {
  const auto leave_out_rank_2 = [](Group& group) {
    if (group.rank() == 2) return;
    group.all_reduce_async(at::ones({1}));
    group.wait();
  };
  expect_error(ExitCode::kPeerLost, "in all_reduce_sum for ranks: 2",
               [&] { run_ranks(3, leave_out_rank_2, milliseconds(50)); });
}

TEST(ThreadGroup, ABarrierWaitsBeyondTheTimeout) {
  run_ranks(
      3,
      [](Group& group) {
        if (group.rank() == 1) std::this_thread::sleep_for(milliseconds(150));
        group.barrier();
      },
      milliseconds(50));
}

TEST(ThreadGroup, ABarrierEndsWhenARankFails) {
  expect_error(ExitCode::kData, "broken record", [] {
    run_ranks(3, [](Group& group) {
      if (group.rank() == 1) throw DataError("broken record");
      group.barrier();
    });
  });
}

TEST(ThreadGroup, TimeOutOfAReceiveIsPeerLost) {
  const auto receive_what_was_not_sent = [](Group& group) {
    if (group.rank() == 0) group.receive(at::ones({1}), 1);
  };
  expect_error(ExitCode::kPeerLost, "receive",
               [&] { run_ranks(2, receive_what_was_not_sent, milliseconds(50)); });
}

TEST(ThreadGroup, LosingARankWakesTheGroupsOfASplit) {
  expect_error(ExitCode::kData, "broken record", [] {
    run_ranks(4, [](Group& group) {
      const auto part = group.split(group.rank() % 2);
      if (group.rank() == 3) throw DataError("broken record");
      if (group.rank() == 1) part->all_reduce_sum(at::ones({1}));
    });
  });
}

TEST(ThreadGroup, RanksThatDisagreeAreABug) {
  expect_error(ExitCode::kBug, "the ranks disagree", [] {
    run_ranks(2, [](Group& group) {
      if (group.rank() == 0) group.all_reduce_sum(at::ones({1}));
      if (group.rank() == 1) group.all_reduce_max(at::ones({1}));
    });
  });
}

}  // namespace
}  // namespace ganscale::comm
