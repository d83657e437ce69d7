#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "checkpoint/reader.h"
#include "checkpoint/writer.h"
#include "make_snapshot.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kTooMuch = 1'000'000;  // extent of a snapshot that the small disk can't hold

/// A run folder on a disk of 1 MiB, with a checkpoint of 1,000 images on it.
class SmallDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (::mount("tmpfs", run_.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
      GTEST_SKIP() << "mounting a small disk needs root: " << std::strerror(errno);
    }
    mounted_ = true;
    Writer writer(run_.path(), {});
    writer.write(make_snapshot(1'000, 1.0));
    ASSERT_TRUE(writer.wait());
  }
  void TearDown() override {
    if (mounted_) ::umount2(run_.path().c_str(), MNT_DETACH);
  }

  void make_read_only() const {
    ASSERT_EQ(::mount("tmpfs", run_.path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr), 0);
  }

  void expect_the_last_good_one_is_there() const {
    const auto newest = newest_valid_checkpoint(run_.path());
    ASSERT_TRUE(newest);
    expect_equal(load_checkpoint(*newest), make_snapshot(1'000, 1.0));
    const fs::directory_iterator entries(run_ / "checkpoints");
    EXPECT_EQ(std::distance(begin(entries), end(entries)), 1) << "the temporary folder stayed";
  }

  const TemporaryFolder run_;
  bool mounted_ = false;
};

TEST_F(SmallDisk, ThatIsFullLeavesTheLastGoodCheckpointAndTheRunContinues) {
  Writer writer(run_.path(), {.on_error = OnError::kContinue});
  writer.write(make_snapshot(2'000, 2.0, kTooMuch));
  EXPECT_FALSE(writer.wait());
  EXPECT_EQ(writer.status().failed_count, 1);
  EXPECT_THAT(writer.status().last_error, testing::HasSubstr("No space left on device"));
  expect_the_last_good_one_is_there();

  writer.write(make_snapshot(3'000, 3.0));
  EXPECT_TRUE(writer.wait()) << "the disk has room again";
  EXPECT_EQ(writer.status().last_error, "");
}

TEST_F(SmallDisk, ThatIsFullStopsTheRunIfConfigured) {
  Writer writer(run_.path(), {.on_error = OnError::kStop});
  writer.write(make_snapshot(2'000, 2.0, kTooMuch));
  expect_error(ExitCode::kData, "No space left on device", [&] { writer.wait(); });
  expect_error(ExitCode::kData, "No space left on device", [&] { writer.throw_if_failed(); });
  expect_error(ExitCode::kData, "No space left on device",
               [&] { writer.write(make_snapshot(3'000, 3.0)); });
  expect_the_last_good_one_is_there();
}

TEST_F(SmallDisk, ThatIsReadOnlyLeavesTheLastGoodCheckpoint) {
  make_read_only();
  Writer writer(run_.path(), {});
  writer.write(make_snapshot(2'000, 2.0));
  EXPECT_FALSE(writer.wait());
  EXPECT_THAT(writer.status().last_error, testing::HasSubstr("Read-only file system"));
  expect_the_last_good_one_is_there();
}

TEST(WriteFailure, OfAFolderThatIsAFileIsReported) {
  const TemporaryFolder run;
  std::ofstream(run / "checkpoints") << "in the way";
  Writer writer(run.path(), {.on_error = OnError::kStop});
  writer.write(make_snapshot(1'000, 1.0));
  expect_error(ExitCode::kData, (run / "checkpoints").string(), [&] { writer.wait(); });
}

}  // namespace
}  // namespace ganscale::checkpoint
