#include "training/session/cpu_threads.h"

#include <gtest/gtest.h>

namespace ganscale::training {
namespace {

TEST(CpuThreads, AreTheMachinesCoresSharedByItsRanks) {
  EXPECT_EQ(cpu_threads(0, 16, 16, 2), 8);
  EXPECT_EQ(cpu_threads(0, 16, 16, 1), 16);
}

TEST(CpuThreads, OfABoundRankAreItsOwnCores) { EXPECT_EQ(cpu_threads(0, 4, 16, 4), 4); }

TEST(CpuThreads, AreAtLeastOne) { EXPECT_EQ(cpu_threads(0, 2, 2, 8), 1); }

TEST(CpuThreads, FollowTheConfiguration) { EXPECT_EQ(cpu_threads(3, 16, 16, 2), 3); }

}  // namespace
}  // namespace ganscale::training
