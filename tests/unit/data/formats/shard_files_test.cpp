#include "data/formats/shard_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ShardFiles, OfAFolderAreThoseWithTheExtensionSorted) {
  const TemporaryFolder folder;
  for (const char* name : {"b.tar", "a.tar", "._b.tar", "c.tar.gz", "d.zip", "e.tar/f.tar"})
    folder.write(name, "");
  EXPECT_THAT(shard_files(folder.path(), ".tar"), ElementsAre(folder / "a.tar", folder / "b.tar"));
  EXPECT_THAT(shard_files(folder.path(), ".parquet"), IsEmpty());
}

TEST(ShardFiles, OfAFolderAreTheSplitsIfThereAreSome) {
  const TemporaryFolder folder;
  for (const char* name : {"test-0.tar", "other-00001-of-00003.tar"}) folder.write(name, "");
  std::filesystem::create_symlink("nowhere", folder / "test-1.tar");
  folder.write("train-0.tar", "");
  EXPECT_THAT(shard_files(folder.path(), ".tar", "train"), ElementsAre(folder / "train-0.tar"));
}

TEST(ShardFiles, OfAFolderMustBeThere) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("nowhere", folder / "a.tar");
  expect_error(ExitCode::kData,
               "link to a file that does not exist: " + (folder / "a.tar").string(),
               [&] { shard_files(folder.path(), ".tar"); });
}

TEST(ShardFiles, MustBeAllOfThoseThatTheirNamesCount) {
  const TemporaryFolder folder;
  for (const char* name : {"b-00000-of-00002-9f.tar", "b-00001-of-00002-1c.tar", "c-00007.tar",
                           "d-00000-of-00003.tar", "d-00002-of-00003.tar"})
    folder.write(name, "");
  expect_error(
      ExitCode::kData,
      "shard is missing: number 1 of 3 beside " + (folder / "d-00000-of-00003.tar").string(),
      [&] { shard_files(folder.path(), ".tar"); });
  folder.write("d-00001-of-00003.tar", "");
  EXPECT_EQ(shard_files(folder.path(), ".tar").size(), 6U);
}

TEST(ShardFiles, OfAPatternNeedNotExist) {
  EXPECT_THAT(shard_files("x/a-{08..10}.tar", ".tar"),
              ElementsAre("x/a-08.tar", "x/a-09.tar", "x/a-10.tar"));
  EXPECT_THAT(shard_files("x/a-{08..10}.tar", ".parquet"), IsEmpty());
}

TEST(ShardFiles, OfAPatternMayBeMoreThanANameHolds) {
  const TemporaryFolder folder;
  std::string list = "0";
  for (int i = 1; i < 200; ++i) list += "," + std::to_string(i);
  const auto files = shard_files(folder / ("a-{" + list + "}.tar"), ".tar");
  ASSERT_EQ(files.size(), 200U);
  EXPECT_EQ(files.back(), folder / "a-199.tar");
}

TEST(ShardFiles, ANameWithoutBracesIsNotAPattern) {
  const TemporaryFolder folder;
  EXPECT_THAT(shard_files(folder.write("a.tar", ""), ".tar"), IsEmpty());
  EXPECT_THAT(shard_files(folder / "b.tar", ".tar"), IsEmpty());
}

}  // namespace
}  // namespace ganscale::data
