#include "cli/serve/live_run.h"

#include <ATen/core/Tensor.h>
#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "files/folder_lock.h"
#include "support/expect_error.h"
#include "unit/cli/serve/run_with_checkpoints.h"

namespace ganscale::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

class LiveRunTest : public testing::Test {
 protected:
  PageReply get(const std::string& path, const Query& query = {}) {
    return live_.answer({.method = "GET", .path = path, .authorization = "", .query = query});
  }
  Json get_json(const std::string& path) { return Json::parse(get(path).body); }

  RunWithCheckpoints run_;
  LiveRun live_{run_.path(), at::kCPU};
};

TEST_F(LiveRunTest, HasAPageThatLoadsNothingFromElsewhere) {
  const auto page = get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.media_type, StartsWith("text/html"));
  EXPECT_THAT(page.body, HasSubstr("<title>r1 · ganscale</title>"));
  for (const char* name : {"seed", "class", "truncation", "walk_to", "t"})
    EXPECT_THAT(page.body, HasSubstr("name=\"" + std::string(name) + "\""));
  EXPECT_THAT(page.body, testing::Not(HasSubstr("src=\"http")));
}

TEST_F(LiveRunTest, ReportsInTwoSections) {
  const auto report = get_json("/report");
  EXPECT_THAT(report["progress"].get<std::string>(), HasSubstr("<h1>r1</h1>"));
  EXPECT_THAT(report["details"].get<std::string>(), HasSubstr("<summary>config.yaml</summary>"));
}

TEST_F(LiveRunTest, HasNoImagesBeforeTheFirstCheckpoint) {
  EXPECT_FALSE(get_json("/state").contains("checkpoint"));
  const auto image = get("/image");
  EXPECT_EQ(image.status, 503);
  EXPECT_THAT(image.body, HasSubstr("this run has no checkpoint yet"));
}

TEST_F(LiveRunTest, ListsTheChoices) {
  run_.write_checkpoint(1536);
  const auto state = get_json("/state");
  EXPECT_EQ(state["checkpoint"], "kimg-000001.536");
  EXPECT_EQ(state["kimg"], 1.536);
  EXPECT_EQ(state["truncation"], nullptr);
  EXPECT_EQ(state["classes"].dump(), R"([{"label":0,"name":"cat"},{"label":1,"name":"dog"}])");
}

TEST_F(LiveRunTest, HasAnotherVersionOnceSomethingIsWritten) {
  const auto version = get_json("/state")["version"];
  EXPECT_EQ(get_json("/state")["version"], version);
  std::filesystem::last_write_time(run_.path() / "config.yaml",
                                   std::filesystem::file_time_type(std::chrono::hours(1)));
  EXPECT_NE(get_json("/state")["version"], version);
}

TEST_F(LiveRunTest, ReportsWhetherATrainingIsRunning) {
  EXPECT_EQ(get_json("/state")["running"], false);
  const files::FolderLock lock(run_.path() / "lock", "");
  EXPECT_EQ(get_json("/state")["running"], true);
}

TEST_F(LiveRunTest, DrawsTheImageOfASeedAndAClass) {
  run_.write_checkpoint(1000);
  const auto image = get("/image", {{"seed", "3"}, {"class", "1"}});
  EXPECT_EQ(image.status, 200);
  EXPECT_EQ(image.media_type, "image/png");
  EXPECT_THAT(image.body, StartsWith("\x89PNG"));
  EXPECT_EQ(get("/image", {{"seed", "3"}, {"class", "1"}}).body, image.body);
  EXPECT_NE(get("/image", {{"seed", "4"}, {"class", "1"}}).body, image.body);
}

TEST_F(LiveRunTest, WalksFromOneSeedToAnother) {
  run_.write_checkpoint(1000);
  const auto at = [&](const char* t) {
    return get("/image", {{"seed", "3"}, {"walk_to", "4"}, {"t", t}}).body;
  };
  EXPECT_EQ(at("0"), get("/image", {{"seed", "3"}}).body);
  EXPECT_EQ(at("1"), get("/image", {{"seed", "4"}}).body);
  EXPECT_NE(at("0.5"), at("0"));
  EXPECT_NE(at("0.5"), at("1"));
}

TEST_F(LiveRunTest, DrawsByTheNewestCheckpoint) {
  run_.write_checkpoint(1000);
  const auto first = get("/image").body;
  run_.write_checkpoint(2000);
  EXPECT_NE(get("/image").body, first);
}

TEST_F(LiveRunTest, RefusesWithAReason) {
  run_.write_checkpoint(1000);
  const auto wrong = get("/image", {{"seed", "-1"}});
  EXPECT_EQ(wrong.status, 400);
  EXPECT_THAT(wrong.body, HasSubstr("seed: expected a whole number"));
  EXPECT_EQ(get("/image", {{"truncation", "0.5"}}).status, 400);
  EXPECT_EQ(get("/image", {{"class", "2"}}).status, 400);
  EXPECT_EQ(get("/nowhere").status, 404);
}

TEST_F(LiveRunTest, SurvivesAConfigurationThatCannotBeRead) {
  run_.write_checkpoint(1000);
  std::ofstream(run_.path() / "config.yaml") << "model: {name: dcgam}\n";
  EXPECT_THAT(get_json("/state")["error"].get<std::string>(), HasSubstr("model.name"));
  EXPECT_EQ(get("/image").status, 503);
}

TEST_F(LiveRunTest, WritesNothing) {
  run_.write_checkpoint(1000);
  const auto contents = [&] {
    std::map<std::filesystem::path, std::filesystem::file_time_type> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(run_.path()))
      files[entry.path()] = entry.last_write_time();
    return files;
  };
  const auto before = contents();
  for (const char* path : {"/", "/state", "/report", "/image"}) EXPECT_EQ(get(path).status, 200);
  EXPECT_EQ(contents(), before);
}

TEST(LiveRun, RefusesAFolderThatIsNotARun) {
  expect_error(ExitCode::kData, "not the folder of a run, it has no config.yaml: nowhere",
               [] { LiveRun("nowhere", at::kCPU); });
}

}  // namespace
}  // namespace ganscale::cli
