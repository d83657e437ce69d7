#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include "checkpoint/reader.h"
#include "files/file_descriptor.h"
#include "support/temporary_folder.h"
#include "training_process.h"

namespace ganscale {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::int64_t kSteps = 1'000'000;  // never reached

/// Whether a process has a handler for SIGUSR1, which would kill it otherwise.
bool takes_usr1(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigCgt:")) continue;
    return (std::stoull(line.substr(7), nullptr, 16) >> (SIGUSR1 - 1) & 1) != 0;
  }
  return false;
}

bool waits_for_usr1(TrainingProcess& training) {
  return wait_until(
             [&] { return takes_usr1(training.rank_pids().front()) || training.has_ended(); }) &&
         !training.has_ended();
}

/// Returns a lease on a file: while it is open, others wait in open(2) for seconds (45 by default).
FileDescriptor lease(const fs::path& file) {
  std::signal(SIGIO, SIG_IGN);  // which tells that somebody waits
  FileDescriptor descriptor(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_EQ(::fcntl(descriptor.get(), F_SETLEASE, F_WRLCK), 0) << std::strerror(errno);
  return descriptor;
}

TEST(Stop, TakesSignalsBeforeTheDataIsOpened) {
  const TemporaryFolder folder;
  const auto config = write_tiny_training(folder.path(), kSteps, "fp32", kTinyModel);
  fs::remove_all(folder / "data");
  folder.write("data/a.png", "not an image");
  const FileDescriptor waits = lease(folder / "data/a.png");
  TrainingProcess training(1, config, folder / "run");
  EXPECT_TRUE(waits_for_usr1(training)) << training.output();
}

TEST(Stop, BySignalDuringTheStartEndsWithACheckpointAfterTheFirstStep) {
  const TemporaryFolder folder;
  const auto config = write_tiny_training(folder.path(), kSteps, "fp32", kTinyModel);
  TrainingProcess training(1, config, folder / "run");
  ASSERT_TRUE(waits_for_usr1(training)) << training.output();
  training.signal_launcher(SIGUSR1);
  EXPECT_EQ(training.exit_code(), 143) << training.output();
  EXPECT_TRUE(checkpoint::newest_valid_checkpoint(folder / "run"));
}

// Rank 0 trains the generator, rank 1 the discriminator; one of them hangs.
TEST(ALostRole, EndsTheOtherWithPeerLost) {
  for (const std::size_t lost : {0, 1}) {
    const TemporaryFolder folder;
    const auto config = write_tiny_training(
        folder.path(), kSteps, "fp32",
        std::string(kTinyModel) +
            "scheme: {name: asynchronous, max_staleness: 2}\ncomm: {timeout: 10s}\n");
    TrainingProcess training(2, config, folder / "run");
    ASSERT_TRUE(wait_until([&] {
      return fs::exists(folder / "run/stats.jsonl") || training.has_ended();
    })) << training.output();
    auto ranks = training.rank_pids();
    ASSERT_EQ(ranks.size(), 2U) << training.output();
    std::ranges::sort(ranks);  // mpirun starts them in their order
    ::kill(ranks[lost], SIGSTOP);
    EXPECT_EQ(training.exit_code(), 75) << training.output();
    EXPECT_THAT(training.output(), HasSubstr("waiting_rank=" + std::to_string(lost == 0 ? 1 : 0)));
  }
}

/// Expects an error of all ranks to be reported once, and nothing after it.
void expect_told_once(TrainingProcess& training, int exit_code, const std::string& error) {
  EXPECT_EQ(training.exit_code(), exit_code);
  const std::string output = training.output();
  const auto first = output.find("ganscale: error: ");
  ASSERT_NE(first, std::string::npos) << output;
  const std::string last_line = output.substr(first);
  EXPECT_THAT(last_line, HasSubstr(error));
  EXPECT_EQ(std::ranges::count(last_line, '\n'), 1) << output;
}

TEST(AnError, OfTheConfigurationIsReportedOnce) {
  const TemporaryFolder folder;
  const auto config = write_tiny_training(folder.path(), kSteps, "fp32", "bach: 64\n");
  TrainingProcess training(3, config, folder / "run");
  expect_told_once(training, 78, "unknown key: bach");
}

TEST(AnError, OfTheDataIsReportedOnce) {
  const TemporaryFolder folder;
  const auto config = write_tiny_training(folder.path(), kSteps, "fp32", kTinyModel);
  fs::remove_all(folder / "data");
  TrainingProcess training(4, config, folder / "run");
  expect_told_once(training, 65, (folder / "data").string());
}

}  // namespace
}  // namespace ganscale
