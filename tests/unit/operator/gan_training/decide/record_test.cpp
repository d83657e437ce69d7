#include "gan_training/decide/record.h"

#include <gtest/gtest.h>

namespace ganscale::controller::gan_training {
namespace {

TEST(Record, IsReadAsItWasWritten) {
  Record record;
  record.phase = Phase::kResizing;
  record.reason = "Resize";
  record.message = "from 8 to 4 nodes";
  record.attempt = 7;
  record.state = AttemptState::kLive;
  record.request = "4-f00";
  record.hash = "abc";
  record.restarts = 2;
  record.failures = 1;
  record.failed_behind = "kimg-000200";
  record.ending = Ending{"Resize", Time(std::chrono::seconds(1750000000))};
  record.restart_at = Time(std::chrono::seconds(1750000100));
  record.progress = Progress{64000, Time(std::chrono::seconds(1750000050))};
  record.avoided = {{"dgx-3", Time(std::chrono::seconds(1750003600))}};
  Json status = {{"kimg", 12.5}};
  write_record(record, status);
  EXPECT_EQ(read_record(status), record);
  EXPECT_EQ(status["kimg"], 12.5);
  EXPECT_EQ(status["ending"]["since"], "2025-06-15T15:06:40Z");
  EXPECT_EQ(status["avoidedNodes"],
            Json::parse(R"([{"name": "dgx-3", "until": "2025-06-15T16:06:40Z"}])"));
  EXPECT_EQ(avoided_names(record), std::vector<std::string>{"dgx-3"});
  write_record(Record(), status);
  EXPECT_FALSE(status.contains("avoidedNodes"));
}

TEST(Record, OfAnOddStatusHasDefaults) {
  EXPECT_EQ(read_record(Json()), Record());
  EXPECT_EQ(
      read_record(Json::parse(R"({"phase": 3, "attempt": "x", "ending": {"since": "soon"}})")),
      Record());
}

}  // namespace
}  // namespace ganscale::controller::gan_training
