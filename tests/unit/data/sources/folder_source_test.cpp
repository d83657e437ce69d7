#include "data/sources/folder_source.h"

#include "data/sources/open_source.h"
#include "data/sources/read_image.h"
#include "support/expect_error.h"
#include "unit/data/images.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

TEST(FolderSource, ReadsClassFoldersInOrder) {
  const TemporaryFolder folder;
  folder.write("dog/1.png", encode_png(flat_image(3, 2, 10)));
  folder.write("cat/2.png", encode_png(flat_image(3, 2, 20)));
  folder.write("cat/readme.txt", "not an image");
  const auto source = open_source(folder.path());
  ASSERT_EQ(source->record_count(), 2);
  EXPECT_THAT(source->label_names(), testing::ElementsAre("cat", "dog"));
  EXPECT_EQ(first_byte(*source, 0), 20);
  EXPECT_EQ(source->label(0), 0);
  EXPECT_EQ(first_byte(*source, 1), 10);
}

TEST(FolderSource, ReadsFlatFoldersAndDatasetJson) {
  const TemporaryFolder folder;
  folder.write("1.png", encode_png(flat_image(1, 2, 1)));
  EXPECT_EQ(open_source(folder.path())->label_count(), 0);
  folder.write("dataset.json", R"({"labels": [["1.png", 4]]})");
  EXPECT_EQ(open_source(folder.path())->label(0), 4);
  folder.write("dataset.json", R"({"labels": []})");
  expect_error(ExitCode::kData, "no label for 1.png: " + folder.path().string(),
               [&] { open_source(folder.path()); });
}

TEST(FolderSource, NamesAFileThatIsNotAnImage) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.png", "not an image");
  const auto source = open_source(folder.path());
  Record record;
  source->read(0, record);
  std::vector<std::uint8_t> chw(4);
  expect_error(ExitCode::kData, "): " + file.string(),
               [&] { decode_read(*source, 0, {.channels = 1, .resolution = 2}, record, chw); });
  fs::remove(file);
  expect_error(ExitCode::kData, file.string(), [&] { source->read(0, record); });
}

TEST(FolderSource, MayBeNamedWithSlashesAtTheEnd) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.png", encode_png(flat_image(3, 2, 10)));
  const auto source = open_source(folder.path().string() + "//");
  EXPECT_EQ(source->describe(0), file.string() + ", record 0, offset 0");
}

TEST(FolderSource, LeavesAFewImagesBesideShardsOut) {
  for (const char* shard : {"a.tar", "a.parquet"}) {
    const TemporaryFolder folder;
    folder.write(shard, "");
    folder.write("assets/logo.svg", "?");
    EXPECT_EQ(open_folder(folder.path()), nullptr) << shard;
    for (int i = 1; i < kMostImagesOfShards; ++i) folder.write(std::to_string(i) + ".png", "?");
    EXPECT_EQ(open_folder(folder.path()), nullptr) << shard;
  }
}

TEST(FolderSource, LeavesShardsOutBesideMoreImages) {
  const TemporaryFolder folder;
  folder.write("metadata.parquet", "?");
  for (int i = 0; i <= kMostImagesOfShards; ++i)
    folder.write(std::to_string(i) + ".png", encode_png(flat_image(3, 2, 10)));
  EXPECT_EQ(open_source(folder.path())->record_count(), kMostImagesOfShards + 1);
  for (int i = 0; i <= kMostImagesOfShards; ++i) folder.write(std::to_string(i) + ".tar", "");
  EXPECT_EQ(open_folder(folder.path()), nullptr);
}

TEST(FolderSource, TakesNoArchiveForAShardThatIsHiddenOrInAFolderBelow) {
  const TemporaryFolder folder;
  folder.write("a.png", encode_png(flat_image(3, 2, 10)));
  for (const char* other : {"._a.tar", "below/a.tar", "a.tar.gz", "a.tar/b.txt"})
    folder.write(other, "");
  EXPECT_EQ(open_source(folder.path())->record_count(), 1);
}

TEST(FolderSource, RefusesALinkToNothing) {
  const TemporaryFolder folder;
  folder.write("a.png", encode_png(flat_image(3, 32, 9)));
  fs::create_symlink(folder / "gone.png", folder / "b.png");
  expect_error(ExitCode::kData,
               "link to a file that does not exist: " + (folder / "b.png").string(),
               [&] { open_source(folder.path()); });
}

}  // namespace
}  // namespace ganscale::data
