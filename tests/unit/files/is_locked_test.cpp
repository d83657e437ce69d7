#include "files/is_locked.h"

#include <gtest/gtest.h>

#include <optional>

#include "files/folder_lock.h"
#include "support/temporary_folder.h"

namespace ganscale::files {
namespace {

TEST(IsLocked, AsLongAsTheLockIsHeld) {
  const TemporaryFolder folder;
  std::optional<FolderLock> lock(std::in_place, folder / "lock", "");
  EXPECT_TRUE(is_locked(folder / "lock"));
  lock.reset();
  EXPECT_FALSE(is_locked(folder / "lock"));
}

TEST(IsLocked, LeavesTheLockFree) {
  const TemporaryFolder folder;
  folder.write("lock", "");
  EXPECT_FALSE(is_locked(folder / "lock"));
  EXPECT_NO_THROW(const FolderLock lock(folder / "lock", "", std::chrono::milliseconds(0)));
}

TEST(IsLocked, CreatesNoFile) {
  const TemporaryFolder folder;
  EXPECT_FALSE(is_locked(folder / "lock"));
  EXPECT_FALSE(std::filesystem::exists(folder / "lock"));
}

}  // namespace
}  // namespace ganscale::files
