#include "files/atomic_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "files/input_error.h"
#include "files/remove_temporaries.h"
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

TEST(AtomicFile, KeepsTheOldFileIfTheNewOneCannotReplaceIt) {
  const TemporaryFolder folder;
  const auto path = folder / "taken";
  std::filesystem::create_directories(path / "full");
  EXPECT_THROW(write_file_atomically(path, "new"), OutputError);
  EXPECT_TRUE(std::filesystem::exists(path / "full"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / ""), {}), 1);
}

TEST(PrepareToWrite, MakesMissingFoldersAndNoFile) {
  const TemporaryFolder folder;
  prepare_to_write(folder / "a/b.txt");
  EXPECT_TRUE(std::filesystem::is_empty(folder / "a"));
  prepare_to_write(folder / "c/");
  EXPECT_TRUE(std::filesystem::is_empty(folder / "c"));
  EXPECT_NO_THROW(prepare_to_write(folder / "c/"));
}

TEST(PrepareToWrite, RefusesWhatCannotBeWritten) {
  const TemporaryFolder folder;
  folder.write("file", "");
  std::filesystem::create_directory(folder / "folder");
  for (const auto& path :
       {folder / "file/x", folder / "folder", std::filesystem::path("/proc/none/x")})
    EXPECT_THROW(prepare_to_write(path), OutputError) << path;
}

TEST(AtomicFile, PicksADifferentTemporaryNameEachTime) {
  EXPECT_NE(temporary_beside("x"), temporary_beside("x"));
}

TEST(AtomicFile, OfAKilledProcessIsRemovedAndNothingElse) {
  const TemporaryFolder folder;
  folder.write("x.png", "");
  folder.write("x.tmp", "");
  folder.write("x.png.012345678901234g.tmp", "");
  folder.write("x.png.partial", "");
  const auto temporary = temporary_beside(folder / "x.png");
  std::ofstream(temporary) << "incomple";
  std::ofstream(temporary.string() + ".partial") << "incom";
  remove_temporaries(folder.path());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 4);
  EXPECT_NO_THROW(remove_temporaries(folder / "absent"));
}

// A folder can be opened, but gives no bytes: as a file whose storage fails.
TEST(ReadFile, DistinguishesAMissingFileFromFailingStorage) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_file(folder.path()), InputError);
  EXPECT_FALSE(is_missing(folder.path()));
  try {
    read_file(folder / "absent");
    FAIL();
  } catch (const InputError&) {
    FAIL() << "it is missing";
  } catch (const DataError& error) {
    EXPECT_EQ(error.what(),
              "can't read: " + (folder / "absent").string() + ": No such file or directory");
  }
  EXPECT_TRUE(is_missing(folder / "absent"));
}

TEST(ReadFile, GivesAllOfALongFile) {
  const TemporaryFolder folder;
  const std::string bytes(1'000'001, 'x');
  EXPECT_EQ(read_file(folder.write("long", bytes)), bytes);
}

}  // namespace
}  // namespace ganscale::files
