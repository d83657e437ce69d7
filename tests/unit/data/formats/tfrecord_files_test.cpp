#include "data/formats/tfrecord_files.h"

#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

TEST(TfrecordFiles, TakesTheHighestResolutionOrTheOneAskedFor) {
  const TemporaryFolder folder;
  for (const char* name : {"a-r02.tfrecords", "a-r10.tfrecords", "a-r05.tfrecords"}) {
    folder.write(name, "");
  }
  EXPECT_THAT(find_tfrecord_files(folder.path(), 0)->shards,
              testing::ElementsAre(folder / "a-r10.tfrecords"));
  EXPECT_THAT(find_tfrecord_files(folder.path(), 32)->shards,
              testing::ElementsAre(folder / "a-r05.tfrecords"));
  EXPECT_THAT(find_tfrecord_files(folder.path(), 64)->shards,
              testing::ElementsAre(folder / "a-r10.tfrecords"));
}

TEST(TfrecordFiles, ListsTheResolutionsOfASet) {
  const TemporaryFolder folder;
  const auto file = folder.write("a-r02.tfrecords", "");
  folder.write("a-r05-00000-of-00002.tfrecords", "");
  folder.write("a-r05-00001-of-00002.tfrecords", "");
  EXPECT_THAT(tfrecord_resolutions(folder.path()), testing::ElementsAre(32, 4));
  EXPECT_THAT(tfrecord_resolutions(folder / "a"), testing::ElementsAre(32, 4));
  EXPECT_THAT(tfrecord_resolutions(file), testing::IsEmpty());
}

TEST(TfrecordFiles, PutsShardsInOrderAndFindsTheLabels) {
  const TemporaryFolder folder;
  folder.write("a-r05-00001-of-00002.tfrecords", "");
  folder.write("a-r05-00000-of-00002.tfrecords.gz", "");
  folder.write("a-rxx.labels", "");
  const auto files = find_tfrecord_files(folder.path(), 0);
  EXPECT_THAT(files->shards, testing::ElementsAre(folder / "a-r05-00000-of-00002.tfrecords.gz",
                                                  folder / "a-r05-00001-of-00002.tfrecords"));
  EXPECT_EQ(files->labels, folder / "a-rxx.labels");
}

TEST(TfrecordFiles, RefusesAMissingAndADoubleShard) {
  const TemporaryFolder folder;
  folder.write("a-00000-of-00003.tfrecord", "");
  folder.write("a-00002-of-00003.tfrecord", "");
  expect_error(ExitCode::kData, "shard is missing: number 1 of 3",
               [&] { find_tfrecord_files(folder.path(), 0); });
  folder.write("a-00000-of-00003.tfrecord.gz", "");
  expect_error(ExitCode::kData, "duplicate shard", [&] { find_tfrecord_files(folder.path(), 0); });
}

TEST(TfrecordFiles, AsksForANameIfAFolderHoldsSeveralSets) {
  const TemporaryFolder folder;
  folder.write("cats-r05.tfrecords", "");
  folder.write("dogs-r05.tfrecords", "");
  expect_error(ExitCode::kData, "/cats", [&] { find_tfrecord_files(folder.path(), 0); });
  EXPECT_THAT(find_tfrecord_files(folder / "dogs", 0)->shards,
              testing::ElementsAre(folder / "dogs-r05.tfrecords"));
  EXPECT_THAT(find_tfrecord_files(folder / "cats-r05.tfrecords", 0)->shards,
              testing::ElementsAre(folder / "cats-r05.tfrecords"));
}

TEST(TfrecordFiles, RefusesOneShardOfALabeledSet) {
  const TemporaryFolder folder;
  const auto shard = folder.write("a-r05-00000-of-00002.tfrecords", "");
  EXPECT_EQ(find_tfrecord_files(shard, 0)->shards.size(), 1U);
  folder.write("a-rxx.labels", "");
  expect_error(ExitCode::kData, "open its folder", [&] { find_tfrecord_files(shard, 0); });
}

TEST(TfrecordFiles, FindsNothingInAnotherFolder) {
  const TemporaryFolder folder;
  EXPECT_FALSE(find_tfrecord_files(folder.path(), 0));
  EXPECT_FALSE(find_tfrecord_files(folder / "nothing", 0));
}

TEST(TfrecordFiles, AreNotLookedForBesideAnotherFile) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("nowhere", folder / "a-r05.tfrecords");
  EXPECT_FALSE(find_tfrecord_files(folder.write("b.zip", ""), 0));
}

TEST(TfrecordFiles, NamesShards) {
  EXPECT_EQ(tfrecord_name("a", 5, 0, 1), "a-r05.tfrecords");
  EXPECT_EQ(tfrecord_name("a", 10, 3, 64), "a-r10-00003-of-00064.tfrecords");
}

}  // namespace
}  // namespace ganscale::data
