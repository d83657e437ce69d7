#include "data/formats/shard_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ShardFiles, OfAFolderAreThoseWithTheExtensionSorted) {
  const TemporaryFolder folder;
  for (const char* name : {"b.tar", "a.tar", "c.tar.gz", "d.zip", "e.tar/f.tar"})
    folder.write(name, "");
  EXPECT_THAT(shard_files(folder.path(), ".tar"), ElementsAre(folder / "a.tar", folder / "b.tar"));
  EXPECT_THAT(shard_files(folder.path(), ".parquet"), IsEmpty());
}

TEST(ShardFiles, OfAPatternNeedNotExist) {
  EXPECT_THAT(shard_files("x/a-{08..10}.tar", ".tar"),
              ElementsAre("x/a-08.tar", "x/a-09.tar", "x/a-10.tar"));
  EXPECT_THAT(shard_files("x/a-{08..10}.tar", ".parquet"), IsEmpty());
}

TEST(ShardFiles, ANameWithoutBracesIsNotAPattern) {
  const TemporaryFolder folder;
  EXPECT_THAT(shard_files(folder.write("a.tar", ""), ".tar"), IsEmpty());
  EXPECT_THAT(shard_files(folder / "b.tar", ".tar"), IsEmpty());
}

}  // namespace
}  // namespace ganscale::data
