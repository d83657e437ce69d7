#include "files/append_file.h"

#include "files/atomic_file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::files {
namespace {

TEST(AppendFile, GrowsAtItsEnd) {
  const TemporaryFolder folder;
  const auto path = folder.write("log", "a\n");
  AppendFile file(path);
  file.append("b\n");
  file.append("c\n");
  EXPECT_EQ(read_file(path), "a\nb\nc\n");
  EXPECT_EQ(file.path(), path);
}

TEST(AppendFile, IsMadeWithTheFoldersAbove) {
  const TemporaryFolder folder;
  AppendFile(folder / "a/b/log").append("x");
  EXPECT_EQ(read_file(folder / "a/b/log"), "x");
}

TEST(AppendFile, AppendsAtTheNewEndAfterATruncation) {
  const TemporaryFolder folder;
  const auto path = folder.write("log", "0123456789");
  AppendFile file(path);
  file.truncate(4);
  file.append("x");
  EXPECT_EQ(read_file(path), "0123x");
}

TEST(AppendFile, KeepsTheLinesOfTwoWriters) {
  const TemporaryFolder folder;
  AppendFile first(folder / "log");
  AppendFile second(folder / "log");
  first.append("a");
  second.append("b");
  first.append("c");
  EXPECT_EQ(read_file(folder / "log"), "abc");
}

TEST(AppendFile, NamesFileAndReasonIfItCannotBeOpened) {
  const TemporaryFolder folder;
  folder.write("file", "");
  expect_error(ExitCode::kData, (folder / "file/log").string() + ": Not a directory",
               [&] { AppendFile(folder / "file/log"); });
}

// /dev/full takes nothing: a write fails as on a full disk.
TEST(AppendFile, SaysThatTheDiskIsFull) {
  AppendFile file("/dev/full");
  expect_error(ExitCode::kData, "/dev/full: No space left on device", [&] { file.append("x"); });
}

}  // namespace
}  // namespace ganscale::files
