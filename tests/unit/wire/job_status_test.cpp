#include "wire/job_status.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "unit/nested_json.h"

namespace ganscale::wire {
namespace {

using Json = nlohmann::ordered_json;

JobStatus full_status() {
  return {.state = JobState::kPaused,
          .run = "faces",
          .model = "stylegan2",
          .scheme = "synchronous",
          .images_seen = 4'210'400,
          .total_images = 25'000'000,
          .seconds_per_kimg = 2.31,
          .images_per_second = 432.9,
          .eta_seconds = 48'024,
          .world_size = 64,
          .restarts = 2,
          .losses = {{"generator", 0.5}, {"discriminator", 1.25}},
          .fid = 7.9,
          .augment_p = 0.125,
          .last_checkpoint = LastCheckpoint{"kimg-004200", 1'760'000'000},
          .measured = Measurement{.steps = 200,
                                  .images = 12'800,
                                  .seconds = 41.25,
                                  .data_wait_seconds = 0.5,
                                  .all_reduce_seconds = 3.5,
                                  .role_wait_seconds = 1.5,
                                  .straggler_ratio = 1.125,
                                  .step_seconds_median = 0.203125,
                                  .step_seconds_p99 = 0.25,
                                  .memory_share = 0.75,
                                  .gpu_use = 0.5},
          .preflight = Preflight{.gigabytes_per_second = 3.5,
                                 .floor_gigabytes_per_second = 100,
                                 .ranks = 64,
                                 .nodes = 8,
                                 .hcas = 7,
                                 .gpu_direct = "peermem",
                                 .measured_unix_seconds = 1'760'000'001,
                                 .faulty_nodes = {{"faces-r1-worker-3", 24, "7 of 8 HCAs"}},
                                 .message = "below the floor"},
          .message = "paused by command"};
}

void expect_refused(const std::string& text, const std::string& json) {
  try {
    parse_job_status(Json::parse(json));
    ADD_FAILURE() << "accepted: " << json;
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(text));
  }
}

TEST(JobStatus, ReadsWhatItWrites) {
  const JobStatus status = full_status();
  EXPECT_EQ(parse_job_status(Json::parse(to_json(status).dump())), status);
  EXPECT_EQ(parse_job_status(Json::parse(to_json(JobStatus{}).dump())), JobStatus{});
}

TEST(JobStatus, ReportsKimgAndImages) {
  const Json json = to_json(full_status());
  EXPECT_EQ(json["kimg"], 4210.4);
  EXPECT_EQ(json["total_kimg"], 25000.0);
}

TEST(JobStatus, LeavesOutWhatIsNotKnown) {
  const Json json = to_json(JobStatus{});
  for (const char* key : {"seconds_per_kimg", "images_per_second", "eta_seconds", "fid",
                          "augment_p", "last_checkpoint", "measured", "message"}) {
    EXPECT_FALSE(json.contains(key)) << key;
  }
}

TEST(JobStatus, TakesFieldsOfAnotherVersion) {
  const JobStatus status =
      parse_job_status(Json::parse(R"({"state": "running", "color": [1], "images_seen": 64})"));
  EXPECT_EQ(status.state, JobState::kRunning);
  EXPECT_EQ(status.images_seen, 64);
  EXPECT_EQ(status.world_size, 1);
  const auto measured = parse_job_status(Json::parse(R"({"measured": {"steps": 20}})")).measured;
  EXPECT_EQ(measured, Measurement{.steps = 20}) << "of a worker that measures less";
}

TEST(JobStatus, CarriesALossThatDiverged) {
  JobStatus status;
  status.losses["generator"] = std::numeric_limits<double>::infinity();
  const std::string text = to_json(status).dump();
  EXPECT_THAT(text, testing::HasSubstr(R"("losses":{"generator":null})"));
  EXPECT_TRUE(std::isnan(parse_job_status(Json::parse(text)).losses.at("generator")));
}

TEST(JobStatus, NamesTheFieldThatIsWrong) {
  expect_refused("body: expected an object", "[]");
  expect_refused("state: expected one of", R"({"state": "asleep"})");
  expect_refused("state: expected a string", R"({"state": 1})");
  expect_refused("images_seen: expected an integer", R"({"images_seen": 1.5})");
  expect_refused("fid: expected a number", R"({"fid": "low"})");
  expect_refused("losses.generator: expected a number", R"({"losses": {"generator": "low"}})");
  expect_refused("losses: expected an object", R"({"losses": 3})");
  expect_refused("last_checkpoint: expected an object", R"({"last_checkpoint": "kimg-1"})");
  expect_refused("measured: expected an object", R"({"measured": 3})");
  expect_refused("steps: expected an integer", R"({"measured": {"steps": "many"}})");
  expect_refused("seconds: expected a number", R"({"measured": {"seconds": "few"}})");
  expect_refused("preflight: ranks: expected an integer", R"({"preflight": {"ranks": 1e300}})");
  expect_refused("world_size: 4294967297 is out of range", R"({"world_size": 4294967297})");
  expect_refused("images_seen: 18446744073709551615 is out of range",
                 R"({"images_seen": 18446744073709551615})");
  expect_refused("preflight: ranks: -4294967296 is out of range",
                 R"({"preflight": {"ranks": -4294967296}})");
  expect_refused("preflight: first_rank: expected an integer",
                 R"({"preflight": {"faulty_nodes": [{"first_rank": 1.5}]}})");
}

TEST(JobStatus, MayBeNestedHoweverDeeply) {
  expect_refused("preflight: ", R"({"preflight": {"faulty_nodes": )" + nested_json() + "}}");
}

}  // namespace
}  // namespace ganscale::wire
