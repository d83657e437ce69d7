#include "scaling_sweep/decide/record.h"

#include <gtest/gtest.h>

#include "unit/operator/scaling_sweep/make_plan.h"

namespace ganscale::controller::scaling_sweep {
namespace {

TEST(SweepRecord, IsReadAsItWasWritten) {
  Record record{.phase = phase::kRunning,
                .reason = "Running",
                .message = "weak-n2-r1",
                .current = "weak-n2-r1",
                .results = {}};
  record.results.push_back(
      {"weak-n1-r1", "abc", make_measured(100), "", {"a", "b"}, "sha256:1", 1});
  record.results[0].measured->memory_share = 0.5;
  record.results[0].measured->gpu_use = 0.75;
  record.results.push_back({"weak-n4-r1", "def", std::nullopt, "exit code 65", {}, "", 0});
  Json status = {{"newerField", 3}};
  write_record(record, status);
  EXPECT_EQ(read_record(status), record);
  EXPECT_EQ(status["newerField"], 3);
}

TEST(SweepRecord, OfAnOddStatusIsEmpty) {
  const Json odd = {{"phase", 3}, {"runs", {{"a", 1}}}, {"current", Json::array()}};
  EXPECT_EQ(read_record(odd), Record());
  EXPECT_EQ(read_record(3), Record());
  EXPECT_EQ(read_record({{"runs", Json::array({3, Json::array()})}}).results.size(), 2U);
}

TEST(SweepRecord, AWindowWithoutARateIsNone) {
  EXPECT_FALSE(read_measured({{"steps", 20}}));
  EXPECT_FALSE(read_measured({{"imagesPerSecond", 0}}));
  EXPECT_FALSE(read_measured({{"imagesPerSecond", "fast"}}));
  EXPECT_FALSE(read_measured(3));
  EXPECT_TRUE(read_measured({{"imagesPerSecond", 12.5}}));
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
