#include "comm/preflight/verdict.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace ganscale::comm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Nodes a, b, ... of two ranks each, whose pairs in the ring have these bandwidths.
FabricMeasurement measured(double all, const std::vector<double>& pairs) {
  FabricMeasurement fabric{.gigabytes_per_second = all};
  const int node_count = std::max(1, static_cast<int>(pairs.size() == 1 ? 2 : pairs.size()));
  for (int i = 0; i < node_count; ++i) {
    fabric.nodes.push_back({.host = std::string(1, static_cast<char>('a' + i)),
                            .first_rank = 2 * i,
                            .ranks = 2,
                            .active_hcas = 8});
  }
  fabric.ranks = 2 * node_count;
  for (int i = 0; i < static_cast<int>(pairs.size()); ++i) {
    fabric.pairs.push_back({i, (i + 1) % node_count, pairs[i]});
  }
  return fabric;
}

std::vector<std::string> hosts(const wire::Preflight& result) {
  std::vector<std::string> names;
  for (const auto& node : result.faulty_nodes) names.push_back(node.host);
  return names;
}

TEST(RingPairs, MeetEachNeighborOnceAndNoNodeTwiceInARound) {
  for (int node_count = 3; node_count <= 9; ++node_count) {
    std::set<std::pair<int, int>> all;
    for (const auto& round : ring_pairs(node_count)) {
      std::set<int> busy;
      for (const auto& [first, second] : round) {
        EXPECT_EQ(second, (first + 1) % node_count);
        EXPECT_TRUE(busy.insert(first).second && busy.insert(second).second) << node_count;
        all.insert({first, second});
      }
    }
    EXPECT_EQ(std::ssize(all), node_count);
  }
  EXPECT_EQ(ring_pairs(2), (std::vector<std::vector<std::pair<int, int>>>{{{0, 1}}}));
  EXPECT_THAT(ring_pairs(1), IsEmpty());
}

TEST(Verdict, PassesAtTheFloor) {
  FabricMeasurement fabric = measured(100, {});
  const auto result = verdict(fabric, {.floor_gigabytes_per_second = 100, .hcas = 8});
  EXPECT_TRUE(result.passed()) << result.message;
  EXPECT_THAT(result.faulty_nodes, IsEmpty());
  EXPECT_EQ(result.hcas, 8);
}

TEST(Verdict, NamesTheOneNodeWhosePairsAreBothSlow) {
  for (int node_count = 3; node_count <= 8; ++node_count) {
    for (int slow = 0; slow < node_count; ++slow) {
      std::vector<double> pairs(node_count, 180);
      pairs[slow] = 9;
      pairs[(slow + node_count - 1) % node_count] = 11;
      const auto fabric = measured(10, pairs);
      const auto result = verdict(fabric, {.floor_gigabytes_per_second = 100});
      EXPECT_THAT(hosts(result), ElementsAre(fabric.nodes[slow].host)) << node_count;
      EXPECT_EQ(result.faulty_nodes[0].first_rank, 2 * slow);
      EXPECT_THAT(result.message, HasSubstr("10 GB/s, below the floor of 100 GB/s"));
      EXPECT_THAT(result.message, HasSubstr("(11 GB/s at best with a neighbor)"));
    }
  }
}

TEST(Verdict, NamesBothOfTwoNodes) {
  EXPECT_THAT(hosts(verdict(measured(10, {10}), {.floor_gigabytes_per_second = 100})),
              ElementsAre("a", "b"));
}

TEST(Verdict, NamesNoneIfAllAreSlowOrAllPairsAreFast) {
  for (const double pair : {10.0, 180.0}) {
    const auto result =
        verdict(measured(10, {pair, pair, pair}), {.floor_gigabytes_per_second = 100});
    EXPECT_FALSE(result.passed());
    EXPECT_THAT(result.faulty_nodes, IsEmpty());
    EXPECT_THAT(result.message, HasSubstr("no single node is the cause"));
  }
}

TEST(Verdict, NamesANodeThatLacksHcasThoughTheAllReduceIsFast) {
  FabricMeasurement fabric = measured(180, {});
  fabric.nodes = measured(180, {1, 1, 1}).nodes;
  fabric.nodes[1].active_hcas = 7;
  fabric.nodes[1].down_hcas = {"mlx5_3"};
  const auto result = verdict(fabric, {.floor_gigabytes_per_second = 100, .hcas = 8});
  EXPECT_THAT(hosts(result), ElementsAre("b"));
  EXPECT_EQ(result.faulty_nodes[0].reason, "7 of 8 HCAs with an active port, without one: mlx5_3");
  EXPECT_EQ(result.hcas, 7);
  EXPECT_TRUE(verdict(fabric, {.floor_gigabytes_per_second = 100, .hcas = 7}).passed());
}

TEST(Verdict, DoesNotBlameTheNetworkIfAllNodesLackHcas) {
  FabricMeasurement fabric = measured(180, {180, 180, 180});
  for (auto& node : fabric.nodes) node.active_hcas = 6;
  const auto result = verdict(fabric, {.floor_gigabytes_per_second = 100, .hcas = 8});
  EXPECT_THAT(result.faulty_nodes, IsEmpty());
  EXPECT_THAT(result.message,
              HasSubstr("6 of 8 on one of them; no node has as many HCAs as required"));
  EXPECT_THAT(result.message, testing::Not(HasSubstr("floor")));
}

TEST(Verdict, HasNoFloorForASingleRank) {
  FabricMeasurement fabric = measured(0, {});
  fabric.ranks = 1;
  EXPECT_TRUE(verdict(fabric, {.floor_gigabytes_per_second = 100}).passed());
}

TEST(Verdict, ReportsTheSlowestWayToGpuMemory) {
  FabricMeasurement fabric = measured(180, {1, 1, 1});
  EXPECT_EQ(verdict(fabric, {}).gpu_direct, "");
  for (auto& node : fabric.nodes) node.gpu_direct = "peermem";
  EXPECT_EQ(verdict(fabric, {}).gpu_direct, "peermem");
  fabric.nodes[2].gpu_direct = "none";
  EXPECT_EQ(verdict(fabric, {}).gpu_direct, "none");
}

TEST(Verdict, NamesFewEnoughNodesForTheEndOfALog) {
  std::vector<double> pairs(60, 10);
  pairs.back() = 180;
  FabricMeasurement fabric = measured(10, pairs);
  for (auto& node : fabric.nodes) node.host = std::string(40, 'x');
  const auto result = verdict(fabric, {.floor_gigabytes_per_second = 100});
  EXPECT_EQ(result.faulty_nodes.size(), 4);
  EXPECT_LT(to_json(result).dump().size() + result.message.size(), 1950);
}

TEST(Table, HasALineForEachNode) {
  const auto fabric = measured(10, {180, 9, 11});
  const std::string table = to_table(fabric, verdict(fabric, {.floor_gigabytes_per_second = 100}));
  EXPECT_THAT(table, HasSubstr("All-reduce of 6 ranks on 3 nodes: 10 GB/s"));
  EXPECT_EQ(std::ranges::count(table, '\n'), 5);
}

TEST(Table, SaysThatOneRankMeasuresNothing) {
  FabricMeasurement fabric = measured(0, {});
  fabric.ranks = 1;
  const auto result = verdict(fabric, {.floor_gigabytes_per_second = 100});
  EXPECT_TRUE(result.passed()) << "a training on one node may have the floor of larger ones";
  const std::string table = to_table(fabric, result);
  EXPECT_THAT(table, HasSubstr("No bandwidth was measured: there is one rank\n"));
  EXPECT_THAT(table, testing::Not(HasSubstr("floor")));
}

}  // namespace
}  // namespace ganscale::comm
