#include "report/mlflow/mlflow_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "files/atomic_file.h"
#include "report/log/stats_log.h"
#include "support/loopback_server.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

namespace ganscale::report {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::string response(const std::string& status, const std::string& body) {
  return "HTTP/1.1 " + status +
         "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// What a tracking server without the experiment answers.
std::string answer(const std::string& request) {
  const auto has = [&](const char* path) { return request.find(path) != std::string::npos; };
  if (has("experiments/get-by-name"))
    return response("404 Not Found",
                    R"({"error_code":"RESOURCE_DOES_NOT_EXIST","message":"none"})");
  if (has("experiments/create")) return response("200 OK", R"({"experiment_id":"4"})");
  if (has("runs/create"))
    return response("200 OK", R"({"run":{"info":{"run_id":"abc",)"
                              R"("artifact_uri":"mlflow-artifacts:/4/abc/artifacts"}}})");
  if (has("runs/update"))
    return response("200 OK",
                    R"({"run_info":{"artifact_uri":"mlflow-artifacts:/4/abc/artifacts"}})");
  return response("200 OK", "{}");
}

/// The path and the body of a request.
std::string short_form(const std::string& request) {
  const std::string api = "/api/2.0/mlflow/";
  const auto begin = request.find(api) + api.size();
  return request.substr(begin, request.find(' ', begin) - begin) + " " +
         request.substr(request.find("\r\n\r\n") + 4);
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

class MlflowRunTest : public testing::Test {
 protected:
  MlflowRunTest() { testing::internal::CaptureStderr(); }
  ~MlflowRunTest() override {
    if (!has_output_) testing::internal::GetCapturedStderr();
  }

  std::string output() {
    has_output_ = true;
    return testing::internal::GetCapturedStderr();
  }

  MlflowRun start(std::int64_t images_seen = 0) {
    MlflowAccess access;
    access.uri = server_.url();
    access.experiment = "faces";
    access.token = "secret";
    return MlflowRun(access,
                     {.state = folder_ / "mlflow.json",
                      .stats = folder_ / "stats.jsonl",
                      .metrics = folder_ / "metrics.jsonl",
                      .samples = folder_ / "samples",
                      .report = folder_ / "report.html",
                      .run_name = run_name_,
                      .config = "model: {name: dcgan}\n",
                      .facts = {{"ganscale.version", "1"}},
                      .images_seen_begin = images_seen},
                     patience_);
  }

  void write(MlflowRun& run, std::int64_t images_seen) {
    StatsLog(folder_ / "stats.jsonl", images_seen)
        .append({{"images_seen", images_seen}, {"loss", {{"generator", 0.5}}}});
    run.notify();
  }

  /// The steps of all metrics that came, in order.
  std::vector<std::int64_t> steps() const {
    std::vector<std::int64_t> steps;
    for (const std::string& request : server_.requests()) {
      if (request.find("\"metrics\"") == std::string::npos) continue;
      const auto body = ordered_json::parse(request.substr(request.find("\r\n\r\n")));
      for (const auto& metric : body.at("metrics")) steps.push_back(metric.at("step"));
    }
    return steps;
  }

  /// The contents of the requests with this path that came, in order.
  std::vector<ordered_json> bodies(const std::string& path) const {
    std::vector<ordered_json> bodies;
    for (const std::string& request : server_.requests()) {
      if (request.find("/" + path + " ") != std::string::npos)
        bodies.push_back(ordered_json::parse(request.substr(request.find("\r\n\r\n"))));
    }
    return bodies;
  }

  /// The first lines and the contents of the artifacts that came, in order.
  std::vector<std::string> artifacts() const {
    std::vector<std::string> artifacts;
    for (const std::string& request : server_.requests()) {
      if (!request.starts_with("PUT ")) continue;
      artifacts.push_back(request.substr(0, request.find(" HTTP")) + " " +
                          request.substr(request.find("\r\n\r\n") + 4));
    }
    return artifacts;
  }

  TemporaryFolder folder_;
  std::string run_name_ = "r1";
  std::atomic<bool> is_down_{false};
  std::atomic<bool> takes_artifacts_{true};
  std::atomic<bool> is_silent_{false};
  std::atomic<bool> is_refusing_{false};
  std::atomic<bool> loses_creation_{false};  ///< the next answer that has the id of a run
  std::atomic<bool> finds_run_{false};
  LoopbackServer server_{[this](const std::string& request, const LoopbackServer::Write& write) {
    if (is_silent_) return server_.wait_for_hangup();
    if (is_down_) return write(response("503 Service Unavailable", "no"));
    if (is_refusing_ || (!takes_artifacts_ && request.starts_with("PUT ")))
      return write(response("403 Forbidden", "no"));
    if (request.find("runs/create") != std::string::npos && loses_creation_.exchange(false)) return;
    if (request.find("runs/search") != std::string::npos && finds_run_)
      return write(response("200 OK", R"({"runs":[{"info":{"run_id":"abc"}}]})"));
    write(answer(request));
  }};
  MlflowPatience patience_{.request = std::chrono::seconds(50),
                           .first_pause = std::chrono::milliseconds(1),
                           .longest_pause = std::chrono::milliseconds(10),
                           .end = std::chrono::seconds(100)};

 private:
  bool has_output_ = false;
};

TEST_F(MlflowRunTest, SendsParametersMetricsAndTheStatus) {
  MlflowRun run = start();
  write(run, 1000);
  run.finish(MlflowStatus::kFinished);
  const auto requests = server_.requests();
  ASSERT_THAT(requests, SizeIs(6));
  EXPECT_THAT(requests[0], HasSubstr("Authorization:Bearer secret"));
  EXPECT_EQ(short_form(requests[0]), "experiments/get-by-name?experiment_name=faces ");
  EXPECT_EQ(short_form(requests[1]), R"(experiments/create {"name":"faces"})");
  EXPECT_THAT(short_form(requests[2]), HasSubstr(R"({"experiment_id":"4","run_name":"r1")"));
  EXPECT_THAT(short_form(requests[2]), HasSubstr(R"("key":"ganscale.version")"));
  EXPECT_EQ(short_form(requests[3]),
            R"(runs/log-batch {"run_id":"abc","params":[{"key":"model.name","value":"dcgan"}]})");
  EXPECT_THAT(short_form(requests[4]), HasSubstr(R"("key":"loss/generator","value":0.5)"));
  EXPECT_THAT(short_form(requests[5]),
              HasSubstr(R"(runs/update {"run_id":"abc","status":"FINISHED","end_time":)"));
  EXPECT_EQ(files::read_file(folder_ / "mlflow.json").find("secret"), std::string::npos);
}

TEST_F(MlflowRunTest, ReplacesWhatIsNotUtf8InTheNameOfARun) {
  run_name_ = "caf\xe9";
  start().finish(MlflowStatus::kFinished);
  const auto requests = server_.requests();
  ASSERT_THAT(requests, SizeIs(testing::Gt(2U)));
  EXPECT_THAT(short_form(requests[2]), HasSubstr("\"run_name\":\"caf\xef\xbf\xbd\""));
}

TEST_F(MlflowRunTest, ResumesTheSameRunAndSendsNewLines) {
  {
    MlflowRun run = start();
    write(run, 1000);
    write(run, 2000);
    run.finish(MlflowStatus::kKilled);
  }
  const std::size_t before = server_.requests().size();
  StatsLog(folder_ / "stats.jsonl", 1000);  // drops what the checkpoint does not have
  MlflowRun run = start(1000);
  write(run, 2000);
  run.finish(MlflowStatus::kFinished);
  EXPECT_EQ(short_form(server_.requests().at(before)),
            R"(runs/update {"run_id":"abc","status":"RUNNING"})");
  EXPECT_THAT(steps(), ElementsAre(1000, 2000, 2000));
}

// `ganscale evaluate` adds a line to metrics.jsonl of a run that is over.
TEST_F(MlflowRunTest, SendsMetricsThatWereAddedToItsLastStep) {
  const auto measure = [&](const char* name) {
    StatsLog(folder_ / "metrics.jsonl", 1000).append({{"images_seen", 1000}, {name, 1.5}});
  };
  measure("fid50k");
  start(1000).finish(MlflowStatus::kFinished);
  measure("kid50k");
  start(1000).finish(MlflowStatus::kFinished);
  start(1000).finish(MlflowStatus::kFinished);
  std::vector<std::string> keys;
  for (const std::string& request : server_.requests()) {
    if (request.find("\"metrics\"") == std::string::npos) continue;
    const auto body = ordered_json::parse(request.substr(request.find("\r\n\r\n")));
    for (const auto& metric : body.at("metrics")) keys.push_back(metric.at("key"));
  }
  EXPECT_THAT(keys, ElementsAre("fid50k", "kid50k"));
}

TEST_F(MlflowRunTest, BeginsAnotherRunForAnotherServerOrADamagedState) {
  folder_.write("mlflow.json",
                R"({"uri": "http://127.0.0.1:1", "experiment": "faces", "run_id": "old",
      "has_params": true, "stats_images_seen": 9, "metrics_images_seen": 9})");
  start().finish(MlflowStatus::kFinished);
  EXPECT_EQ(files::read_file(folder_ / "mlflow.json").find("old"), std::string::npos);
  folder_.write("mlflow.json", "{");
  start().finish(MlflowStatus::kFinished);
  EXPECT_THAT(files::read_file(folder_ / "mlflow.json"), HasSubstr("abc"));
  EXPECT_THAT(output(), HasSubstr("Cannot read which MLflow run this is"));
}

TEST_F(MlflowRunTest, WarnsOnceThatAServerIsDownAndCatchesUp) {
  is_down_ = true;
  MlflowRun run = start();
  write(run, 1000);
  wait_until([&] { return server_.requests().size() > 5; });
  write(run, 2000);
  is_down_ = false;
  wait_until([&] { return steps() == std::vector<std::int64_t>{1000, 2000}; });
  run.finish(MlflowStatus::kFinished);
  const std::string text = output();
  EXPECT_EQ(occurrences(text, "Cannot log to MLflow"), 1) << text;
  EXPECT_EQ(occurrences(text, "has got what it missed"), 1) << text;
  EXPECT_EQ(occurrences(text, "has not got everything"), 0) << text;
}

TEST_F(MlflowRunTest, SendsOnResumeWhatAServerThatWasDownMissed) {
  is_down_ = true;
  {
    MlflowRun run = start();
    write(run, 1000);
    run.finish(MlflowStatus::kFinished);
  }
  EXPECT_EQ(
      occurrences(output(), "has not got everything: the next start of this run sends the rest"),
      1);
  testing::internal::CaptureStderr();
  is_down_ = false;
  start(1000).finish(MlflowStatus::kFinished);
  EXPECT_THAT(steps(), ElementsAre(1000));
  testing::internal::GetCapturedStderr();
}

// As a server that answers too late.
TEST_F(MlflowRunTest, FindsTheRunWhoseIdWasLost) {
  loses_creation_ = true;
  finds_run_ = true;
  start().finish(MlflowStatus::kFinished);
  start().finish(MlflowStatus::kFinished);
  const auto created = bodies("runs/create");
  ASSERT_THAT(created, SizeIs(1));
  const ordered_json& tag = created[0].at("tags").back();
  EXPECT_EQ(tag.at("key"), "ganscale.upload_id");
  const auto searched = bodies("runs/search");
  ASSERT_THAT(searched, SizeIs(1));
  EXPECT_EQ(searched[0].at("experiment_ids"), ordered_json::array({"4"}));
  EXPECT_EQ(searched[0].at("filter"),
            "tags.ganscale.upload_id = '" + tag.at("value").get<std::string>() + "'");
  EXPECT_THAT(files::read_file(folder_ / "mlflow.json"), HasSubstr("abc"));
}

TEST_F(MlflowRunTest, CreatesARunAgainThatTheServerDoesNotHave) {
  loses_creation_ = true;
  start().finish(MlflowStatus::kFinished);
  start().finish(MlflowStatus::kFinished);
  const auto created = bodies("runs/create");
  ASSERT_THAT(created, SizeIs(2));
  EXPECT_EQ(created[0].at("tags"), created[1].at("tags"));
}

TEST_F(MlflowRunTest, StoresGridsOnceAndTheReportAtEachEnd) {
  const std::string api = "PUT /api/2.0/mlflow-artifacts/artifacts/4/abc/artifacts/";
  folder_.write("samples/reals.png", "R");
  folder_.write("samples/unfinished.tmp", "T");
  folder_.write("report.html", "P");
  start().finish(MlflowStatus::kKilled);
  EXPECT_THAT(artifacts(), ElementsAre(api + "samples/reals.png R", api + "report.html P"));
  folder_.write("samples/fakes-000001.png", "F");
  start().finish(MlflowStatus::kFinished);
  EXPECT_THAT(artifacts(), ElementsAre(testing::_, testing::_, api + "samples/fakes-000001.png F",
                                       api + "report.html P"));
}

TEST_F(MlflowRunTest, EndsWithAWarningIfTheServerRefusesArtifacts) {
  takes_artifacts_ = false;
  folder_.write("samples/reals.png", "R");
  folder_.write("report.html", "P");
  start().finish(MlflowStatus::kFinished);
  EXPECT_THAT(artifacts(), SizeIs(1));
  const std::string text = output();
  EXPECT_EQ(occurrences(text, "refuses sample grids and report"), 1) << text;
  EXPECT_EQ(occurrences(text, "ganscale: warning"), 1) << text;
}

TEST_F(MlflowRunTest, EndsInTimeIfTheServerNeverAnswers) {
  is_silent_ = true;
  patience_.end = std::chrono::milliseconds(1);
  start().finish(MlflowStatus::kFailed);
  EXPECT_THAT(output(), HasSubstr("has not got everything"));
}

TEST_F(MlflowRunTest, LeavesAServerAloneThatRefusesTheRun) {
  is_refusing_ = true;
  MlflowRun run = start();
  wait_until([&] { return server_.requests().size() == 1; });
  write(run, 1000);
  run.finish(MlflowStatus::kFinished);
  EXPECT_THAT(server_.requests(), SizeIs(1));
  const std::string text = output();
  EXPECT_EQ(occurrences(text, "refuses this run, which continues without it"), 1) << text;
  EXPECT_THAT(text, HasSubstr("HTTP status 403"));
}

}  // namespace
}  // namespace ganscale::report
