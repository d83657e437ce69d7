#include "scaling_sweep/decide/record.h"

#include <gtest/gtest.h>

#include "unit/operator/scaling_sweep/make_plan.h"

namespace ganscale::controller::scaling_sweep {
namespace {

TEST(SweepRecord, IsReadAsItWasWritten) {
  Record record{.phase = Phase::kRunning,
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

TEST(SweepRecord, NamesEachNodeOnce) {
  const auto on = [](const std::string& run, const std::vector<std::string>& nodes) {
    return Result{.run = run,
                  .hash = "h",
                  .measured = {},
                  .message = {},
                  .nodes = nodes,
                  .image_id = {},
                  .restarts = 0};
  };
  Record record;
  record.results = {on("one", {"a", "b", "c", "e"}), on("two", {"b", "d"}), on("three", {})};
  Json status;
  write_record(record, status);
  EXPECT_EQ(status["nodeNames"], Json::array({"a", "b", "c", "d", "e"}));
  EXPECT_EQ(status["runs"][0]["nodes"], "0-2,4");
  EXPECT_EQ(status["runs"][1]["nodes"], "1,3");
  EXPECT_EQ(read_record(status), record);
  status["nodeNames"] = Json::array({"a"});
  status["runs"][1]["nodes"] = "x,-3,0,99999999999999999999,7-";
  EXPECT_EQ(read_record(status).results[0].nodes, std::vector<std::string>{"a"});
  EXPECT_EQ(read_record(status).results[1].nodes, std::vector<std::string>{"a"});
  status["runs"][1]["nodes"] = "0-9,0-9,0-9";
  EXPECT_EQ(read_record(status).results[1].nodes, std::vector<std::string>{"a"});
}

TEST(SweepRecord, OfAnOddStatusIsEmpty) {
  const Json odd = {{"phase", 3}, {"runs", {{"a", 1}}}, {"current", Json::array()}};
  EXPECT_EQ(read_record(odd), Record());
  EXPECT_EQ(read_record(3), Record());
  EXPECT_EQ(read_record({{"runs", Json::array({3, Json::array()})}}).results.size(), 2U);
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
