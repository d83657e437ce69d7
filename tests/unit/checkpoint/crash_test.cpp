#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <random>
#include <string>
#include <thread>

#include "checkpoint/reader.h"
#include "files/file_descriptor.h"
#include "make_snapshot.h"
#include "support/temporary_folder.h"

namespace ganscale::checkpoint {
namespace {

/// A process that runs crash_victim.cpp.
class Victim {
 public:
  Victim(const std::filesystem::path& run, std::int64_t first) : acknowledged_(first - 1) {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
    const auto count = std::to_string(first);
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(pipe[1], STDOUT_FILENO);
      ::execl(VICTIM, VICTIM, run.c_str(), count.c_str(), nullptr);
      _exit(1);
    }
    ::close(pipe[1]);
    acknowledgements_ = FileDescriptor(pipe[0]);
  }

  /// Waits for the next checkpoint; returns false when the child is dead and there is none.
  bool read_acknowledgement() {
    return ::read(acknowledgements_.get(), &acknowledged_, sizeof acknowledged_) ==
           sizeof acknowledged_;
  }

  /// Kills the child and returns the last count that it acknowledged.
  std::int64_t kill() {
    ::kill(child_, SIGKILL);
    int status = 0;
    ::waitpid(child_, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the writer gave up by itself";
    while (read_acknowledgement()) continue;
    return acknowledged_;
  }

 private:
  std::int64_t acknowledged_;
  pid_t child_ = 0;
  FileDescriptor acknowledgements_;
};

TEST(Crash, AtAnyMomentLosesNoCheckpointThatWasAcknowledged) {
  using Clock = std::chrono::steady_clock;
  const TemporaryFolder run;
  std::minstd_rand random(20);
  // In units of the time of the first write: a slow machine is killed as often in the middle.
  std::uniform_real_distribution<double> moment(0, 2);
  Clock::duration write_time{};
  std::int64_t newest_count = 0;
  for (int round = 0; round < 10; ++round) {
    const auto begin = Clock::now();
    Victim victim(run.path(), newest_count + 1);
    if (round % 2 == 0) {
      ASSERT_TRUE(victim.read_acknowledgement());
      if (round == 0) write_time = Clock::now() - begin;
    }
    std::this_thread::sleep_for(write_time * moment(random));
    const auto acknowledged = victim.kill();

    for (const auto& info : list_checkpoints(run.path())) EXPECT_EQ(info.defect, "");
    const auto newest = newest_valid_checkpoint(run.path());
    ASSERT_TRUE(newest);
    const auto snapshot = load_checkpoint(*newest);
    newest_count = snapshot.images_seen;
    EXPECT_GE(newest_count, acknowledged);
    expect_equal(snapshot,
                 make_snapshot(newest_count, static_cast<double>(newest_count), kVictimExtent));
  }
}

}  // namespace
}  // namespace ganscale::checkpoint
