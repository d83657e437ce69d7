#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <random>
#include <thread>

#include "checkpoint/reader.h"
#include "checkpoint/writer.h"
#include "make_snapshot.h"
#include "support/temporary_folder.h"

namespace ganscale::checkpoint {
namespace {

constexpr std::int64_t kExtent = 20'000;

/// Writes checkpoint after checkpoint, and each one's count into `acknowledged` once it is on the
/// disk, until it is killed.
[[noreturn]] void write_for_ever(const std::filesystem::path& run, std::int64_t first,
                                 int acknowledged) {
  at::set_num_threads(1);
  Writer writer(run, {.keep_last = 2});
  for (std::int64_t i = first;; ++i) {
    writer.write(make_snapshot(i, static_cast<double>(i), kExtent));
    if (!writer.wait()) _exit(1);
    if (::write(acknowledged, &i, sizeof i) != sizeof i) _exit(1);
  }
}

/// Runs write_for_ever() for `lifetime`, kills it and returns the last count that it acknowledged.
std::int64_t run_and_kill(const std::filesystem::path& run, std::int64_t first,
                          std::chrono::microseconds lifetime) {
  std::array<int, 2> pipe{};
  EXPECT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) write_for_ever(run, first, pipe[1]);
  ::close(pipe[1]);
  std::this_thread::sleep_for(lifetime);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the writer gave up by itself";
  std::int64_t acknowledged = first - 1;
  while (::read(pipe[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged) continue;
  ::close(pipe[0]);
  return acknowledged;
}

TEST(Crash, AtAnyMomentLosesNoCheckpointThatWasAcknowledged) {
  const TemporaryFolder run;
  std::minstd_rand random(20);
  std::uniform_int_distribution<int> lifetime_us(1'000, 60'000);
  std::int64_t newest_count = 0;
  for (int kill = 0; kill < 20; ++kill) {
    const auto acknowledged =
        run_and_kill(run.path(), newest_count + 1, std::chrono::microseconds(lifetime_us(random)));
    const auto newest = newest_valid_checkpoint(run.path());
    if (!newest) {
      ASSERT_EQ(acknowledged, 0);
      continue;
    }
    for (const auto& info : list_checkpoints(run.path())) EXPECT_EQ(info.defect, "");
    const auto snapshot = load_checkpoint(*newest);
    newest_count = snapshot.images_seen;
    EXPECT_GE(newest_count, acknowledged);
    expect_equal(snapshot, make_snapshot(newest_count, static_cast<double>(newest_count), kExtent));
  }
  EXPECT_GT(newest_count, 0) << "no write ever ended: the test showed nothing";
}

}  // namespace
}  // namespace ganscale::checkpoint
