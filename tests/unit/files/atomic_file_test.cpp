#include "files/atomic_file.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace ganscale::files {
namespace {

TEST(AtomicFile, MakesMissingFoldersAndLeavesNothingElseBehind) {
  const TemporaryFolder folder;
  const auto path = folder / "a" / "b.txt";
  write_file_atomically(path, "first");
  write_file_atomically(path, "second");
  EXPECT_EQ(read_file(path), "second");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path.parent_path()), {}), 1);
}

TEST(AtomicFile, KeepsTheOldFileWhereTheNewOneCannotTakeItsPlace) {
  const TemporaryFolder folder;
  const auto path = folder / "taken";
  std::filesystem::create_directories(path / "full");
  EXPECT_THROW(write_file_atomically(path, "new"), OutputError);
  EXPECT_TRUE(std::filesystem::exists(path / "full"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / ""), {}), 1);
}

TEST(AtomicFile, PicksADifferentTemporaryNameEachTime) {
  EXPECT_NE(temporary_beside("x"), temporary_beside("x"));
}

}  // namespace
}  // namespace ganscale::files
