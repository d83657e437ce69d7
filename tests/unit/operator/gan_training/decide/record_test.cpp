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
  record.storage = "runs/team";
  record.restarts = 2;
  record.failures = 1;
  record.failed_behind = "kimg-000200";
  record.ending = Ending{"Resize", Time(std::chrono::seconds(1750000000))};
  record.restart_at = Time(std::chrono::seconds(1750000100));
  record.progress = Progress{64000, Time(std::chrono::seconds(1750000050))};
  record.avoided = {{"dgx-3", Time(std::chrono::seconds(1750003600))},
                    {"dgx-4", Time(std::chrono::seconds(1750003600)), /*for_fabric=*/true}};
  record.preflight = wire::Preflight{.gigabytes_per_second = 9.5,
                                     .floor_gigabytes_per_second = 100,
                                     .ranks = 16,
                                     .nodes = 2,
                                     .hcas = 7,
                                     .gpu_direct = "peermem",
                                     .measured_unix_seconds = 1750000000,
                                     .faulty_nodes = {{"a-r7-worker-1", 8, "7 of 8 HCAs"}},
                                     .message = "below the floor"};
  record.fabric_accepted = record.fabric_expires = true;
  Json status = {{"kimg", 12.5}};
  write_record(record, status);
  EXPECT_EQ(read_record(status), record);
  EXPECT_EQ(status["kimg"], 12.5);
  EXPECT_EQ(status["ending"]["since"], "2025-06-15T15:06:40Z");
  EXPECT_EQ(status["avoidedNodes"],
            Json::parse(R"([{"name": "dgx-3", "until": "2025-06-15T16:06:40Z", "reason": "Device"},
                            {"name": "dgx-4", "until": "2025-06-15T16:06:40Z", "reason": "Fabric"}])"));
  EXPECT_EQ(avoided_names(record), std::vector<std::string>{"dgx-3"});
  EXPECT_EQ(avoided_names(record, /*last_resort=*/true), std::vector<std::string>{"dgx-4"});
  EXPECT_EQ(status["preflight"]["time"], "2025-06-15T15:06:40Z");
  EXPECT_EQ(status["preflight"]["passed"], false);
  write_record(Record(), status);
  for (const char* key : {"failures", "failedBehind", "ending", "restartAt", "progress",
                          "avoidedNodes", "preflight", "fabricAccepted", "fabricExpires"}) {
    EXPECT_FALSE(status.contains(key)) << key;
  }
}

TEST(Record, ComparesCheckpointsByTheirImages) {
  Record record;
  EXPECT_FALSE(has_come_further(record, ""));
  EXPECT_TRUE(has_come_further(record, "kimg-000001.536"));
  record.failed_behind = "kimg-999999.999";
  EXPECT_FALSE(has_come_further(record, record.failed_behind));
  EXPECT_FALSE(has_come_further(record, "kimg-999999.998"));
  EXPECT_TRUE(has_come_further(record, "kimg-1000000"));
  EXPECT_FALSE(has_come_further(record, "another name"));
}

TEST(Record, OfAnOddStatusHasDefaults) {
  EXPECT_EQ(read_record(Json()), Record());
  EXPECT_EQ(
      read_record(Json::parse(R"({"phase": 3, "attempt": "x", "ending": {"since": "soon"}})")),
      Record());
  const Json preflight = {{"preflight", {{"time", "2025-06-15T15:06:40Z"}}}};
  EXPECT_EQ(read_record(preflight).preflight,
            (wire::Preflight{.ranks = 0, .nodes = 0, .measured_unix_seconds = 1750000000}));
}

}  // namespace
}  // namespace ganscale::controller::gan_training
