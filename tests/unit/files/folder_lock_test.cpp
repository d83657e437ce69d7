#include "files/folder_lock.h"

#include <gmock/gmock.h>

#include <optional>
#include <thread>

#include "files/atomic_file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::files {
namespace {

using testing::HasSubstr;

constexpr std::chrono::milliseconds kNoPatience{0};

class FolderLockTest : public testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "lock";
};

TEST_F(FolderLockTest, RefusesASecondProcessAndSaysWhoTheFirstIs) {
  const FolderLock first(file_, "");
  expect_error(ExitCode::kConfig,
               "the folder is in use: " + folder_.path().string() + ": by process " +
                   std::to_string(getpid()) + " on ",
               [&] { const FolderLock second(file_, "", kNoPatience); });
  try {
    const FolderLock second(file_, "", kNoPatience);
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr(" since 2"));
    EXPECT_THAT(error.what(), HasSubstr("choose another folder with --run"));
  }
}

TEST_F(FolderLockTest, IsFreeAfterTheEnd) {
  {
    const FolderLock first(file_, "");
  }
  EXPECT_NO_THROW(const FolderLock second(file_, ""));
}

TEST_F(FolderLockTest, WaitsForAProcessThatIsEnding) {
  std::optional<FolderLock> first(std::in_place, file_, "");
  std::thread end([&] { first.reset(); });
  EXPECT_NO_THROW(const FolderLock second(file_, "", std::chrono::minutes(10)));
  end.join();
}

TEST_F(FolderLockTest, CanBeRetriedAfterARefusal) {
  const FolderLock first(file_, "");
  expect_error(ExitCode::kPeerLost, "the folder is in use",
               [&] { const FolderLock second(file_, "uid/2", kNoPatience); });
}

TEST_F(FolderLockTest, RefusesAnAttemptAfterALaterOne) {
  {
    const FolderLock later(file_, "uid/10");
  }
  expect_error(ExitCode::kPeerLost, "a later attempt has taken the folder over",
               [&] { const FolderLock earlier(file_, "uid/9"); });
  EXPECT_NO_THROW(const FolderLock again(file_, "uid/10"));
  EXPECT_NO_THROW(const FolderLock next(file_, "uid/11"));
  EXPECT_NO_THROW(const FolderLock another_training_of_the_name(file_, "other/1"));
}

TEST_F(FolderLockTest, RefusesAnAttemptThatALaterOneReplaced) {
  EXPECT_NO_THROW(require_attempt(file_, "uid/3")) << "there is no file";
  {
    const FolderLock third(file_, "uid/3");
  }
  EXPECT_NO_THROW(require_attempt(file_, "uid/3"));
  {
    const FolderLock fourth(file_, "uid/4");
  }
  expect_error(ExitCode::kPeerLost, "uid/4, and this is uid/3",
               [&] { require_attempt(file_, "uid/3"); });
  {
    const FolderLock by_hand(file_, "");
  }
  expect_error(ExitCode::kPeerLost, "one started by hand, and this is uid/4",
               [&] { require_attempt(file_, "uid/4"); });
  EXPECT_NO_THROW(require_attempt(file_, ""));
}

TEST_F(FolderLockTest, NamesThePathThatCannotBeLocked) {
  expect_error(ExitCode::kConfig, "cannot write the lock of the folder: /nowhere/lock",
               [] { const FolderLock lock("/nowhere/lock", ""); });
}

TEST_F(FolderLockTest, IsNotTakenOverByAnIncompleteLine) {
  folder_.write("lock", "");  // as a full disk leaves it
  EXPECT_NO_THROW(require_attempt(file_, "uid/3"));
  folder_.write("lock", "host: a\nprocess: 1");
  EXPECT_NO_THROW(require_attempt(file_, "uid/3"));
}

TEST_F(FolderLockTest, ThatCannotBeReadIsADataError) {
  std::filesystem::create_directory(file_);  // can be opened, not read
  expect_error(ExitCode::kData, "can't read: " + file_.string() + ": Is a directory",
               [&] { require_attempt(file_, "uid/3"); });
}

}  // namespace
}  // namespace ganscale::files
