#include "scaling_sweep/plan/run_order.h"

#include <gtest/gtest.h>

#include <set>

namespace ganscale::controller::scaling_sweep {
namespace {

const Key kKey{"team", "weak"};

std::vector<PlannedPoint> points(int count) {
  std::vector<PlannedPoint> list(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) list[static_cast<std::size_t>(i)].point.nodes = i + 1;
  return list;
}

std::vector<std::string> names(std::int64_t seed) {
  std::vector<std::string> list;
  for (const SweepRun& run : run_order(kKey, points(8), 3, seed)) list.push_back(run.name);
  return list;
}

TEST(RunOrder, HoldsEachRepeatOfEachPointOnce) {
  const auto order = names(1);
  EXPECT_EQ(order.size(), 24U);
  EXPECT_EQ(std::set<std::string>(order.begin(), order.end()).size(), 24U);
  EXPECT_TRUE(std::ranges::count(order, "weak-n8-r3"));
}

TEST(RunOrder, MeasuresAllPointsBeforeAnyRepeats) {
  const auto runs = run_order(kKey, points(8), 3, 1);
  for (std::size_t i = 0; i < runs.size(); ++i) EXPECT_EQ(runs[i].repeat, 1 + i / 8);
}

TEST(RunOrder, DependsOnItsSeed) {
  EXPECT_EQ(names(1), names(1));
  EXPECT_NE(names(1), names(2));
}

TEST(RunOrder, DiffersBetweenRepeats) {
  const auto runs = run_order(kKey, points(8), 2, 1);
  std::vector<std::size_t> first, second;
  for (const SweepRun& run : runs) (run.repeat == 1 ? first : second).push_back(run.point);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
