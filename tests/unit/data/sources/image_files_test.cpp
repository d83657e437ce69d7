#include "data/sources/image_files.h"

#include "support/expect_error.h"
#include "unit/nested_json.h"

namespace ganscale::data {
namespace {

std::span<const std::uint8_t> bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(ImageFiles, AreKnownByTheirNames) {
  EXPECT_TRUE(has_image_extension("a/b.png"));
  EXPECT_TRUE(has_image_extension("B.JPeG"));
  EXPECT_TRUE(has_image_extension("a.jfif"));
  EXPECT_TRUE(has_image_extension("a/b.WebP"));
  EXPECT_FALSE(has_image_extension("a.png/readme"));
  EXPECT_TRUE(has_image_extension("./a/../b.png"));
  EXPECT_FALSE(has_image_extension("a/._b.png"));
  EXPECT_FALSE(has_image_extension(".Trash-1000/files/b.png"));
  EXPECT_FALSE(has_image_extension("a/.thumbnails/b.png"));
  EXPECT_FALSE(has_image_extension("__MACOSX/a/b.png"));
  EXPECT_FALSE(has_image_extension("lost+found/b.png"));
  EXPECT_FALSE(has_image_extension("png"));
}

TEST(ImageFiles, MayHaveAFormatThatNothingReads) {
  EXPECT_EQ(unread_extension("a/b.AVIF"), ".avif");
  EXPECT_EQ(unread_extension("a.heic"), ".heic");
  for (const char* other : {"a.png", "notes.txt", ".b.heic", "__MACOSX/a.heic", "heic"})
    EXPECT_EQ(unread_extension(other), "") << other;
}

TEST(ImageFiles, AreLabeledByTheFirstFolderThatDiffers) {
  const LabelSet labels =
      labels_by_folder({"x/test/dog/1.png", "x/test/cat/a/2.png", "x/test/cat/b/1.png"});
  EXPECT_THAT(labels.names, testing::ElementsAre("cat", "dog"));
  EXPECT_THAT(labels.values, testing::ElementsAre(1, 0, 0));
  EXPECT_EQ(labels.count, 2);
}

TEST(ImageFiles, OfOneFolderHaveNoLabels) {
  EXPECT_EQ(labels_by_folder({"a/1.png", "a/2.png"}).count, 0);
  EXPECT_EQ(labels_by_folder({"1.png", "2.png"}).count, 0);
  EXPECT_EQ(labels_by_folder({}).count, 0);
}

TEST(ImageFiles, OutsideOfTheClassFoldersAreRefused) {
  expect_error(ExitCode::kData, "outside of the class folders: 2.png",
               [] { labels_by_folder({"cat/1.png", "2.png"}); });
}

TEST(ImageFiles, AreLabeledByDatasetJson) {
  const LabelSet labels = labels_by_dataset_json(
      {"a.png", "b.png"}, bytes(R"({"labels": [["b.png", 3], ["a.png", 0], ["c.png", 9]]})"));
  EXPECT_THAT(labels.values, testing::ElementsAre(0, 3));
  EXPECT_EQ(labels.count, 4);
  EXPECT_EQ(labels_by_dataset_json({"a.png"}, bytes(R"({"labels": null})")).count, 0);
}

TEST(ImageFiles, AreLabeledByTheirFoldersIfDatasetJsonSaysNothingOfLabels) {
  const std::vector<std::string> names = {"cat/1.png", "dog/1.png"};
  EXPECT_THAT(labels_by_dataset_json(names, bytes(R"({"version": 2})")).names,
              testing::ElementsAre("cat", "dog"));
  EXPECT_EQ(labels_by_dataset_json(names, bytes(R"({"labels": null})")).count, 0);
}

TEST(ImageFiles, AreNamedInDatasetJsonRelativeToItsFolder) {
  const std::string json = R"({"labels": [["x/a.png", 2]]})";
  EXPECT_THAT(labels_by_dataset_json({"set/x/a.png"}, bytes(json), "set/dataset.json").values,
              testing::ElementsAre(2));
  expect_error(ExitCode::kData, "no label for x/a.png",
               [&] { labels_by_dataset_json({"x/a.png"}, bytes(json), "set/dataset.json"); });
}

TEST(ImageFiles, WithAWrongDatasetJsonAreRefused) {
  const auto refused = [](const std::string& why, const std::string& json) {
    expect_error(ExitCode::kData, why, [&] { labels_by_dataset_json({"a.png"}, bytes(json)); });
  };
  refused("no label for a.png", R"({"labels": [["b.png", 3]]})");
  refused("not an integer from 0 on", R"({"labels": [["a.png", -1]]})");
  refused("not an integer from 0 on", R"({"labels": [["a.png", 0.5]]})");
  refused("dataset.json is damaged", R"({"labels": [["a.png", 1])");
  refused("dataset.json is damaged", R"({"labels": 7})");
  refused("not an object with \"labels\" but of type array", R"([["a.png", 1]])");
  refused("dataset.json is damaged", R"({"labels": [["a.png"]]})");
  refused("not an integer from 0 on (a.png)", R"({"labels": [["a.png", )" + nested_json() + "]]}");
}

}  // namespace
}  // namespace ganscale::data
