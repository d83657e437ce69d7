#include "planning/model/all_reduce.h"

#include <gtest/gtest.h>

namespace ganscale::planning {
namespace {

/// Nodes of four: 10 GB/s and 1 us inside, two ports of 0.5 GB/s and 10 us.
Machine nodes_of_four() {
  return {.name = "test",
          .device = "V100",
          .gpus_per_node = 4,
          .inside = {"inside", 10e9, 1e-6},
          .between = {"between", 0.5e9, 10e-6},
          .ports = 2};
}

double seconds(double bytes, int gpus, double link_share = 1) {
  return all_reduce_time(bytes, gpus, nodes_of_four(), link_share).seconds;
}

Algorithm algorithm(double bytes, int gpus) {
  return all_reduce_time(bytes, gpus, nodes_of_four(), 1).algorithm;
}

TEST(AllReduceTime, IsZeroOnOneRankOrForNoBytes) {
  EXPECT_EQ(seconds(1e9, 1), 0);
  EXPECT_EQ(seconds(0, 4), 0);
  EXPECT_EQ(algorithm(1e9, 1), Algorithm::kNone);
}

TEST(AllReduceTime, InsideANodeIsARingOfItsLinks) {
  // 2 * 3/4 of 10 GB at 10 GB/s, and 6 hops of 1 us
  EXPECT_NEAR(seconds(10e9, 4), 1.5 + 6e-6, 1e-9);
  EXPECT_EQ(algorithm(10e9, 4), Algorithm::kRing);
}

TEST(AllReduceTime, ReachesAShareOfTheNominalBandwidth) {
  EXPECT_NEAR(seconds(10e9, 4, 0.5), 3 + 6e-6, 1e-9);
}

TEST(AllReduceTime, OfManyBytesGoesOnceOverTheSlowLinks) {
  // Two nodes: 2 * 1/2 of 10 GB at 1 GB/s between them, 2 * 3/4 at 10 GB/s inside; a ring of eight
  // would carry 2 * 7/8 over the slow links.
  EXPECT_NEAR(seconds(10e9, 8), 10 + 1.5 + 2 * 3e-6 + 2 * 10e-6, 1e-9);
  EXPECT_EQ(algorithm(10e9, 8), Algorithm::kHierarchical);
}

TEST(AllReduceTime, OfFewBytesOnManyNodesGoesOverATree) {
  // 1,024 nodes: ten levels of 10 us and three hops inside, up and down
  EXPECT_NEAR(seconds(8, 4096), 2 * (10 * 10e-6 + 3e-6) + 2 * 8 / 1e9, 1e-12);
  EXPECT_EQ(algorithm(8, 4096), Algorithm::kTree);
}

TEST(AllReduceTime, GrowsWithRanks) {
  for (int nodes = 1; nodes < 1024; nodes *= 2) {
    EXPECT_LT(seconds(25e6, 4 * nodes), seconds(25e6, 8 * nodes)) << nodes;
  }
}

}  // namespace
}  // namespace ganscale::planning
