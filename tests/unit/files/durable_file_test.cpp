#include "files/durable_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string_view>

#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::files {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Sha256, OfAbcIsTheDigestOfFips180) {
  Sha256 sha256;
  sha256.update(bytes("a"));
  sha256.update(bytes("bc"));
  EXPECT_EQ(sha256.finish(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(DurableFile, ReturnsTheDigestOfWhatLiesOnTheDisk) {
  const TemporaryFolder folder;
  DurableFile file(folder / "file");
  file.write(bytes("a"));
  file.write(bytes("bc"));
  const auto digest = file.finish();
  EXPECT_EQ(digest.size_bytes, 3);
  EXPECT_EQ(digest.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest, digest_file(folder / "file"));
}

TEST(DurableFile, NamesTheFileAndTheReasonWhenItCannotBeCreated) {
  const TemporaryFolder folder;
  expect_error(ExitCode::kData, (folder / "absent/file").string() + ": No such file or directory",
               [&] { DurableFile file(folder / "absent/file"); });
}

TEST(DurableFile, ReportsAFullDisk) {
  expect_error(ExitCode::kData, "/dev/full: No space left on device", [&] {
    DurableFile file("/dev/full");
    file.write(bytes("abc"));
  });
}

TEST(SyncFile, NamesTheFileThatCannotBeFlushed) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "abc";
  EXPECT_NO_THROW(sync_file(folder / "file"));
  expect_error(ExitCode::kData, (folder / "absent").string() + ": No such file or directory",
               [&] { sync_file(folder / "absent"); });
  expect_error(ExitCode::kData, "cannot flush the file to the disk: /dev/null",
               [] { sync_file("/dev/null"); });
}

TEST(CreateFolders, MakesThoseThatAreMissing) {
  const TemporaryFolder folder;
  for (const auto* name : {"a/b/c", "a/b/c", "a/d/", "e/../f"}) {
    create_folders(folder / name);
    EXPECT_TRUE(std::filesystem::is_directory(folder / name)) << name;
  }
}

TEST(CreateFolders, NamesTheReasonWhenItCannot) {
  const TemporaryFolder folder;
  folder.write("file", "");
  try {
    create_folders(folder / "file/a");
    FAIL();
  } catch (const std::filesystem::filesystem_error& error) {
    EXPECT_EQ(error.code().message(), "Not a directory");
  }
}

TEST(ExchangeDurably, GivesEachOfTwoFoldersTheNameOfTheOther) {
  const TemporaryFolder folder;
  folder.write("one/first", "");
  folder.write("other/second", "");
  if (!exchange_durably(folder / "one", folder / "other"))
    GTEST_SKIP() << "this file system cannot exchange folders";
  EXPECT_TRUE(std::filesystem::exists(folder / "one/second"));
  EXPECT_TRUE(std::filesystem::exists(folder / "other/first"));
}

TEST(ExchangeDurably, DoesNothingIfItCannot) {
  const TemporaryFolder folder;
  folder.write("one/first", "");
  EXPECT_FALSE(exchange_durably(folder / "one", folder / "absent"));
  EXPECT_TRUE(std::filesystem::exists(folder / "one/first"));
}

TEST(RenameDurably, ReplacesTheFileThatIsThere) {
  const TemporaryFolder folder;
  std::ofstream(folder / "old") << "old";
  std::ofstream(folder / "new") << "abc";
  rename_durably(folder / "new", folder / "old");
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  EXPECT_EQ(digest_file(folder / "old").size_bytes, 3);
}

}  // namespace
}  // namespace ganscale::files
