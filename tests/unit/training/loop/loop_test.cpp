#include "training/loop/loop.h"

#include <csignal>
#include <cstdlib>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "base/log.h"
#include "checkpoint/reader.h"
#include "comm/backends/thread_group.h"
#include "control/server.h"
#include "files/folder_lock.h"
#include "report/log/stats_log.h"
#include "support/expect_error.h"
#include "support/fake_gpu_allocator.h"
#include "support/loopback_http.h"
#include "unit/training/fake_trainer.h"
#include "unit/training/fake_training.h"
#include "unit/training/parse_text.h"
#include "wire/names.h"

namespace ganscale::training {
namespace {

/// A run that another attempt than this process has taken over.
class LostRun {
 public:
  explicit LostRun(const RunFolder& folder) {
    std::filesystem::create_directories(folder.root());
    lock_.emplace(folder.root() / "lock", "second");
    setenv(wire::environment::kAttempt, "first", /*overwrite=*/1);
  }
  ~LostRun() { unsetenv(wire::environment::kAttempt); }

 private:
  std::optional<files::FolderLock> lock_;
};

/// Ten steps of four images.
class RunLoop : public FakeTraining {
 protected:
  void configure(const std::string& training, const std::string& more = "") {
    config_ = parse(
        "training: {batch: 4, total_kimg: 0.04, samples_every_kimg: 0, grid_rows: 1, "
        "grid_columns: 2, " +
        training + "}\n" + more);
  }

  ExitCode run(comm::Group& group) {
    return with_context(group, std::make_unique<data::FakeSource>(8), [&](TrainingContext context) {
      context.devices = devices_;
      context.server = server_;
      context.log_failure = log_failure_;
      return run_loop(context, trainer_, progress_);
    });
  }
  ExitCode run() { return run(*comm::make_single_group()); }

  /// The images seen of each checkpoint.
  std::vector<std::int64_t> checkpoints() const {
    std::vector<std::int64_t> images;
    for (const auto& info : checkpoint::list_checkpoints(folder().root())) {
      images.push_back(info.images_seen);
    }
    return images;
  }
  /// Has so many steps skip an update.
  void diverge(int steps) {
    trainer_.on_step = [left = steps](StepResult& result) mutable {
      if (left-- > 0) result.skipped.push_back({"Gmain", "weight"});
    };
  }

  FakeTrainer trainer_;
  Progress progress_;
  device::NetworkDevices devices_ = at::kCPU;
  control::Server* server_ = nullptr;
  std::function<void()> log_failure_;
};

using Images = std::vector<std::int64_t>;

constexpr std::int64_t kLongToWrite = 16 << 20;  // float numbers, which is 64 MiB

TEST_F(RunLoop, WritesACheckpointAtItsIntervalsAndAtTheEnd) {
  configure("tick_kimg: 0.008", "checkpoint: {every_kimg: 0.016, keep_last: 0}\n");
  EXPECT_EQ(run(), ExitCode::kOk);
  EXPECT_EQ(progress_.images_seen, 40);
  EXPECT_EQ(checkpoints(), (Images{16, 32, 40}));
  EXPECT_EQ(report::read_json_lines(folder().stats()).size(), 5);
}

TEST_F(RunLoop, ShowsSamplesBeforeTheFirstStep) {
  configure("tick_kimg: 0.04");
  config_.training.samples_every_kimg = 0.02;
  EXPECT_EQ(run(), ExitCode::kOk);
  for (const std::int64_t images : {0, 20, 40})
    EXPECT_TRUE(std::filesystem::exists(folder().fakes(images))) << images;
}

TEST_F(RunLoop, ShowsSamplesOnlyAtTheEndIfConfigured) {
  configure("tick_kimg: 0.04");
  EXPECT_EQ(run(), ExitCode::kOk);
  EXPECT_FALSE(std::filesystem::exists(folder().fakes(0)));
  EXPECT_TRUE(std::filesystem::exists(folder().fakes(40)));
}

TEST_F(RunLoop, RecordsTheBuildInCheckpoints) {
  configure("tick_kimg: 0.04");
  start_ = {{"commit", "abc"}};
  run();
  const auto newest = checkpoint::newest_valid_checkpoint(folder().root());
  ASSERT_TRUE(newest);
  EXPECT_EQ(checkpoint::load_checkpoint(*newest).state.at("provenance").at("commit"), "abc");
}

TEST_F(RunLoop, ResumesAtItsProgress) {
  configure("tick_kimg: 0.04", "checkpoint: {every_kimg: 0.016, keep_last: 0}\n");
  progress_.images_seen = 20;
  EXPECT_EQ(run(), ExitCode::kOk);
  EXPECT_EQ(progress_.step, 5);
  EXPECT_EQ(checkpoints(), (Images{32, 40}));
}

TEST_F(RunLoop, EndsWithTheWindowThatIsMeasured) {
  configure("tick_kimg: 0.04", "measure: {warmup_steps: 2, steps: 3}\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(), ExitCode::kOk);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("\nStopped: the measured window is over  kimg=0.02"));
  EXPECT_EQ(progress_.step, 5);
  EXPECT_EQ(checkpoints(), Images{20});
  EXPECT_FALSE(std::filesystem::exists(folder().fakes(20)));
}

TEST_F(RunLoop, AllowsNonfiniteStepsUpToTheLimit) {
  configure("tick_kimg: 0.04, max_nonfinite_steps: 3");
  diverge(3);
  EXPECT_EQ(run(), ExitCode::kOk);
  EXPECT_EQ(progress_.nonfinite_steps, 3);
}

TEST_F(RunLoop, EndsAtTheFirstNonfiniteStepBeyondTheLimit) {
  configure("tick_kimg: 0.04, max_nonfinite_steps: 3");
  diverge(4);
  expect_error(ExitCode::kConfig,
               "4 of the last 1000 steps with NaN or infinity, the last in phase Gmain, parameter "
               "weight",
               [&] { run(); });
  EXPECT_EQ(progress_.images_seen, 16);
}

TEST_F(RunLoop, CountsTheNonfiniteStepsBeforeAResume) {
  configure("tick_kimg: 0.04, max_nonfinite_steps: 3");
  progress_ = {.images_seen = 8,
               .step = 2,
               .stream_position = 8,
               .nonfinite_steps = 2,
               .recent_nonfinite_steps = {0, 1}};
  diverge(2);
  expect_error(ExitCode::kConfig, "4 of the last 1000 steps", [&] { run(); });
  EXPECT_EQ(progress_.images_seen, 16);
}

// Three in any thousand steps, nine in all.
TEST_F(RunLoop, ForgetsTheNonfiniteStepsOfLongAgo) {
  configure("tick_kimg: 100, max_nonfinite_steps: 3");
  config_.training.total_kimg = 10;
  trainer_.interval = 100;
  trainer_.on_step = [step = 0](StepResult& result) mutable {
    if (step++ % 1000 < 3) result.skipped.push_back({"Gmain", "weight"});
  };
  EXPECT_EQ(run(), ExitCode::kOk);
  EXPECT_EQ(progress_.nonfinite_steps, 9);
}

TEST_F(RunLoop, WritesNoStateWithNaN) {
  configure("tick_kimg: 0.04", "checkpoint: {every_kimg: 0.016, keep_last: 0}\n");
  trainer_.on_step = [&](StepResult&) {
    if (progress_.step == 6) trainer_.state = std::numeric_limits<double>::quiet_NaN();
  };
  expect_error(ExitCode::kConfig, "NaN or infinity in generator: weight", [&] { run(); });
  EXPECT_THAT(checkpoints(), testing::Not(testing::Contains(32)));
}

// After 4, 8 and, as the run is over, 10 steps.
TEST_F(RunLoop, AgreesAsOftenAsTheTrainerSays) {
  configure("tick_kimg: 0.04");
  trainer_.interval = 4;
  EXPECT_EQ(run(), ExitCode::kOk);
  EXPECT_EQ(trainer_.agreements, 3);
}

// A tick is due after 12, 24, 36 and 40 images: steps 3, 6, 9 and 10.
TEST_F(RunLoop, AgreesIfSomethingIsDue) {
  configure("tick_kimg: 0.012");
  trainer_.interval = 100;
  EXPECT_EQ(run(), ExitCode::kOk);
  EXPECT_EQ(trainer_.agreements, 4);
  std::vector<std::int64_t> ticks;
  for (const auto& line : report::read_json_lines(folder().stats())) {
    ticks.push_back(line.at("images_seen"));
  }
  EXPECT_EQ(ticks, (Images{12, 24, 36, 40}));
}

TEST_F(RunLoop, ReleasesTheMemoryOfTheCudnnBenchmarkOnce) {
  FakeGpuAllocator& allocator = fake_gpu_allocator();
  const int before = allocator.emptied;
  devices_ = at::Device(at::kCUDA, 0);
  configure("tick_kimg: 0.04");  // ten steps
  run();
  EXPECT_EQ(allocator.emptied, before);
  config_.training.total_kimg = 0.2;
  run();
  EXPECT_EQ(allocator.emptied, before + 1);
}

TEST_F(RunLoop, StopsForASignalAtTheNextAgreement) {
  configure("tick_kimg: 0.04");
  trainer_.interval = 3;
  std::raise(SIGTERM);
  EXPECT_EQ(run(), ExitCode::kStopped);
  EXPECT_EQ(checkpoints(), (Images{12}));
}

TEST_F(RunLoop, DrawsNoSamplesForASignalUnlessTheyAreDue) {
  configure("tick_kimg: 0.04");
  std::raise(SIGTERM);
  EXPECT_EQ(run(), ExitCode::kStopped);
  EXPECT_EQ(checkpoints(), Images{4});
  EXPECT_FALSE(std::filesystem::exists(folder().fakes(4)));
  config_.training.samples_every_kimg = 0.008;
  EXPECT_EQ(run(), ExitCode::kStopped);
  EXPECT_EQ(checkpoints().back(), 8);
  EXPECT_TRUE(std::filesystem::exists(folder().fakes(8)));
}

TEST_F(RunLoop, LosesNoCheckpointIfItsSamplesFail) {
  configure("tick_kimg: 0.04");
  trainer_.state_size = kLongToWrite;
  trainer_.on_average = [] { throw DataError("no memory for the grid"); };
  expect_error(ExitCode::kData, "no memory for the grid", [&] { run(); });
  EXPECT_EQ(checkpoints(), Images{40});
}

TEST_F(RunLoop, LosesNoCheckpointIfTheNextStepFails) {
  configure("tick_kimg: 0.04", "checkpoint: {every_kimg: 0.016}\n");
  trainer_.state_size = kLongToWrite;
  trainer_.on_step = [&](StepResult&) {
    if (progress_.images_seen == 16) throw DataError("the shard is torn");
  };
  expect_error(ExitCode::kData, "the shard is torn", [&] { run(); });
  EXPECT_EQ(checkpoints(), Images{16});
}

TEST_F(RunLoop, MakesUpForTheLastSamples) {
  configure("tick_kimg: 0.04");
  trainer_.on_average = [] { throw DataError("no memory for the grid"); };
  expect_error(ExitCode::kData, "no memory for the grid", [&] { run(); });
  EXPECT_FALSE(std::filesystem::exists(folder().fakes(40)));
  trainer_.on_average = [] {};
  EXPECT_EQ(run(), ExitCode::kOk);
  EXPECT_TRUE(std::filesystem::exists(folder().fakes(40)));
  trainer_.on_average = [] { throw DataError("drawn again"); };
  EXPECT_EQ(run(), ExitCode::kOk);
}

// The only tick is at the end.
TEST_F(RunLoop, WritesTheTimeSinceTheLastTickToACheckpoint) {
  configure("tick_kimg: 0.04", "checkpoint: {every_kimg: 0.016, keep_last: 0}\n");
  run();
  const auto first = checkpoint::load_checkpoint(folder().root() / "checkpoints/kimg-000000.016");
  const auto seconds = first.state.at("progress").at("trained_seconds").get<double>();
  EXPECT_GT(seconds, 0);
  EXPECT_DOUBLE_EQ(first.state.at("device_seconds").get<double>(), seconds);
}

// Of attempts on more devices than this one's.
TEST_F(RunLoop, AddsTheTimeOfItsDevicesToThatOfEarlierAttempts) {
  configure("tick_kimg: 0.04");
  progress_.trained_seconds = 10;
  progress_.device_seconds = 40;
  run();
  const auto last = checkpoint::load_checkpoint(folder().root() / "checkpoints/kimg-000000.040");
  const auto seconds = last.state.at("progress").at("trained_seconds").get<double>();
  EXPECT_GT(seconds, 10);
  EXPECT_DOUBLE_EQ(last.state.at("device_seconds").get<double>(), 40 + (seconds - 10));
}

// A pause takes a tenth of a second at least.
TEST_F(RunLoop, CountsAPauseAsNoTraining) {
  control::Server server(control::ServerConfig{
      .address = "127.0.0.1", .port = 0, .token_file = folder_.write("token", "s3cret\n")});
  if (server.port() == 0) GTEST_SKIP() << "a build without services takes no commands";
  server_ = &server;
  configure("tick_kimg: 0.04");
  const std::string headers = "Authorization: Bearer s3cret\r\nContent-Type: application/json\r\n";
  const auto send = [&](const std::string& command) {
    http_request(server.port(), "POST /commands", headers, R"({"command": ")" + command + "\"}");
  };
  const auto is_paused = [&] {
    const std::string status = http_request(server.port(), "GET /status", headers).body;
    return status.find("\"paused\"") != std::string::npos;
  };
  std::jthread resuming;
  trainer_.on_step = [&](StepResult&) {
    if (progress_.step != 2) return;
    send("pause");
    resuming = std::jthread([&](const std::stop_token& stop) {
      while (!is_paused() && !stop.stop_requested())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      send("resume");
    });
  };
  EXPECT_EQ(run(), ExitCode::kOk);
  const auto lines = report::read_json_lines(folder().stats());
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_GT(lines[0].at("maintenance_seconds").get<double>(), 0.09);
}

TEST_F(RunLoop, EndsWhenItsBudgetIsSpent) {
  configure("tick_kimg: 0.04");
  config_.budget.wall_seconds = 1e-9;
  EXPECT_EQ(run(), ExitCode::kOk);
  EXPECT_EQ(checkpoints(), (Images{4}));
}

TEST_F(RunLoop, EndsWhenEarlierAttemptsSpentItsBudget) {
  configure("tick_kimg: 0.04");
  config_.budget.wall_seconds = 3600;
  progress_.trained_seconds = 3601;
  EXPECT_EQ(run(), ExitCode::kOk);
  EXPECT_EQ(checkpoints(), (Images{4}));
}

TEST_F(RunLoop, TrainsNoFurtherOnceItsBudgetIsSpent) {
  configure("tick_kimg: 0.04");
  config_.budget.wall_seconds = 3600;
  progress_ = {.images_seen = 4, .step = 1, .trained_seconds = 3601};
  EXPECT_EQ(run(), ExitCode::kOk);
  EXPECT_EQ(progress_.images_seen, 4);
  EXPECT_TRUE(checkpoints().empty());
}

TEST_F(RunLoop, WritesNoCheckpointOnceAnotherAttemptHasTheFolder) {
  configure("tick_kimg: 0.04");
  const LostRun lost(folder());
  expect_error(ExitCode::kPeerLost, "another training has taken the folder over", [&] { run(); });
  EXPECT_TRUE(checkpoints().empty());
}

// The only checkpoint before the last one fails after half of the steps.
TEST_F(RunLoop, EndsSoonOnceAnotherAttemptHasTheFolder) {
  configure("tick_kimg: 100", "checkpoint: {every_kimg: 2, on_error: continue}\n");
  config_.training.total_kimg = 4;
  trainer_.on_step = [&](StepResult&) {
    // Enough time for the writer's thread.
    if (progress_.images_seen > 2000) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  const LostRun lost(folder());
  expect_error(ExitCode::kPeerLost, "another training has taken the folder over", [&] { run(); });
  EXPECT_LT(progress_.images_seen, 4000);
}

TEST_F(RunLoop, EndsAllRanksWithTheExitCodeOfTheFirst) {
  configure("tick_kimg: 100", "checkpoint: {every_kimg: 2, on_error: stop}\n");
  config_.training.total_kimg = 4;
  const LostRun lost(folder());
  std::vector<ExitCode> codes(2, ExitCode::kOk);
  comm::run_ranks(2, [&](comm::Group& group) {
    FakeTrainer trainer;
    Progress progress;
    trainer.on_step = [&](StepResult&) {
      // Enough time for the writer's thread.
      if (progress.images_seen > 2000) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    };
    const auto train_rank = [&](const TrainingContext& context) {
      try {
        run_loop(context, trainer, progress);
      } catch (const Error& error) {
        codes.at(static_cast<std::size_t>(group.rank())) = error.code();
      }
    };
    with_context(group, std::make_unique<data::FakeSource>(8), train_rank);
  });
  EXPECT_THAT(codes, testing::Each(ExitCode::kPeerLost));
}

TEST_F(RunLoop, ReportsItsReasonToEnd) {
  configure("tick_kimg: 0.04");
  const auto printed = [&] {
    testing::internal::CaptureStderr();
    run();
    return testing::internal::GetCapturedStderr();
  };
  config_.budget.wall_seconds = 1e-9;
  EXPECT_THAT(printed(), testing::HasSubstr("\nStopped: the budget is used up  kimg=0.004"));
  config_.budget.wall_seconds = 0;
  EXPECT_THAT(printed(), testing::HasSubstr("\nTraining is complete  kimg=0.04"));
}

TEST_F(RunLoop, PublishesItsFailureBeforeItLogsIt) {
  control::Server server(control::ServerConfig{});
  if (server.port() == 0) GTEST_SKIP() << "a build without services has no control port";
  server_ = &server;
  configure("tick_kimg: 0.04");
  trainer_.on_step = [](StepResult&) { throw DataError("the shard is torn"); };
  std::string status;
  int ready = 0;
  log_failure_ = [&] {
    status = http_request(server.port(), "GET /status").body;
    ready = http_request(server.port(), "GET /readyz").status;
  };
  expect_error(ExitCode::kData, "the shard is torn", [&] { run(); });
  EXPECT_EQ(ready, 503);
  const auto published = wire::parse_job_status(nlohmann::ordered_json::parse(status));
  EXPECT_EQ(published.state, wire::JobState::kFailed);
  EXPECT_EQ(published.message, "the shard is torn");
}

// Nobody listens on port 1.
TEST_F(RunLoop, LogsItsFailureBeforeItTellsMlflow) {
  if (control::Server(control::ServerConfig{}).port() == 0)
    GTEST_SKIP() << "a build without services does not know MLflow";
  configure("tick_kimg: 0.04", "telemetry: {mlflow: {uri: 'http://127.0.0.1:1'}}\n");
  trainer_.on_step = [](StepResult&) { throw DataError("the shard is torn"); };
  log_failure_ = [] { log::error("logged"); };
  testing::internal::CaptureStderr();
  expect_error(ExitCode::kData, "the shard is torn", [&] { run(); });
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::ContainsRegex("error: logged\n(.|\n)*server has not got everything"));
}

TEST_F(RunLoop, DoesNothingIfTheRunIsOver) {
  configure("tick_kimg: 0.04");
  progress_.images_seen = 40;
  EXPECT_EQ(run(), ExitCode::kOk);
  EXPECT_EQ(trainer_.agreements, 0);
  EXPECT_TRUE(checkpoints().empty());
}

}  // namespace
}  // namespace ganscale::training
