#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <utility>

#include "support/run_program.h"

namespace ganscale::comm {
namespace {

using testing::HasSubstr;

// Three ranks, of which rank 1 disappears. A hang of the test itself would return 124.
ProgramResult lose_rank_1(const std::string& how, int timeout_ms = 4000) {
  return run_program("OMP_NUM_THREADS=1 timeout -k 5 60 " LAUNCHER
                     " --allow-run-as-root --oversubscribe --bind-to none -n 3 " PROGRAM " " +
                     how + " " + std::to_string(timeout_ms));
}

std::string waits(int rank, const std::string& operation) {
  return "A peer hung or was lost: this rank exits, and the run can resume from its last "
         "checkpoint  "
         "waiting_rank=" +
         std::to_string(rank) + "  operation=" + operation;
}

/// How rank 1 hangs, and in what the others wait for it.
using HowAndOperation = std::pair<std::string, std::string>;

class HungPeer : public testing::TestWithParam<HowAndOperation> {};

TEST_P(HungPeer, EndsEveryOtherRankWithPeerLost) {
  const auto& [how, operation] = GetParam();
  const auto result = lose_rank_1(how);
  EXPECT_EQ(result.exit_code, 75) << result.output;
  EXPECT_THAT(result.output, HasSubstr(waits(0, operation)));
  EXPECT_THAT(result.output, HasSubstr(waits(2, operation)));
  EXPECT_THAT(result.output, testing::Not(HasSubstr("No peer was missed")));
}

INSTANTIATE_TEST_SUITE_P(LostPeer, HungPeer,
                         testing::Values(HowAndOperation{"sleep", "all_reduce_sum"},
                                         HowAndOperation{"stop", "all_reduce_sum"},
                                         HowAndOperation{"early", "opening the world"}),
                         [](const auto& info) { return info.param.first; });

// mpirun notices that a rank exits: it kills the others before their timeout.
TEST(LostPeer, KilledIsEndedByMpirunWithTheSignal) {
  const auto result = lose_rank_1("kill");
  EXPECT_EQ(result.exit_code, 128 + SIGKILL) << result.output;
  EXPECT_THAT(result.output, testing::Not(HasSubstr("No peer was missed")));
}

class GonePeer : public testing::TestWithParam<std::string> {};

TEST_P(GonePeer, IsEndedByMpirunWithOne) {
  const auto result = lose_rank_1(GetParam());
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_THAT(result.output, testing::Not(HasSubstr("No peer was missed")));
}

INSTANTIATE_TEST_SUITE_P(LostPeer, GonePeer, testing::Values("exit", "leave"),
                         [](const auto& info) { return info.param; });

TEST(LostPeer, KeepsTheExitCodeOfARankThatFailed) {
  const auto result = lose_rank_1("error");
  EXPECT_EQ(result.exit_code, 65) << result.output;
  EXPECT_THAT(result.output, HasSubstr("broken record"));
}

TEST(LostPeer, MayBeLateForABarrier) {
  const auto result = lose_rank_1("late", 1000);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("No peer was missed"));
}

}  // namespace
}  // namespace ganscale::comm
