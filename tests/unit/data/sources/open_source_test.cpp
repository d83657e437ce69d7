#include "data/sources/open_source.h"

#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/data/images.h"

namespace ganscale::data {
namespace {

TEST(OpenSource, SaysThatAPathIsMissing) {
  expect_error(ExitCode::kData, "dataset not found: /does/not/exist",
               [] { open_source("/does/not/exist"); });
}

TEST(OpenSource, SaysWhatWasLookedFor) {
  const TemporaryFolder folder;
  folder.write("notes.txt", "no image");
  expect_error(ExitCode::kData, "IDX files", [&] { open_source(folder.path()); });
  expect_error(ExitCode::kData, "no supported format",
               [&] { open_source(folder.path() / "notes.txt"); });
}

TEST(OpenSource, SaysThatHiddenFilesAreNotRead) {
  const TemporaryFolder folder;
  folder.write(".a.png", encode_png(flat_image(3, 2, 1)));
  expect_error(ExitCode::kData, "; files whose names begin with a dot are not read",
               [&] { open_source(folder.path()); });
}

TEST(OpenSource, CountsTheImagesThatItCannotRead) {
  const TemporaryFolder folder;
  for (const char* name : {"a.avif", "b.avif", "c.heic", "notes.txt"}) folder.write(name, "?");
  expect_error(ExitCode::kData, "no image in a format that is read, but 2 .avif, 1 .heic; convert",
               [&] { open_source(folder.path()); });
  folder.write("d.png", encode_png(flat_image(3, 2, 1)));
  const auto source = open_source(folder.path());
  EXPECT_EQ(source->record_count(), 1);
  testing::internal::CaptureStderr();
  warn_of_unread_images(unread_images(*source));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("formats that are not read  files=2 .avif, 1 .heic"));
}

TEST(OpenSource, RefusesALabelThatIsTooHighForSoFewImages) {
  const TemporaryFolder folder;
  for (const char* name : {"1.png", "2.png"}) folder.write(name, encode_png(flat_image(3, 2, 1)));
  folder.write("dataset.json", R"({"labels": [["1.png", 0], ["2.png", 65535]]})");
  EXPECT_EQ(open_source(folder.path())->label_count(), 65536);
  folder.write("dataset.json", R"({"labels": [["1.png", 0], ["2.png", 65536]]})");
  expect_error(ExitCode::kData,
               "label is too high for a dataset of 2 images (65536, expected less than 65536): " +
                   (folder / "2.png").string(),
               [&] { open_source(folder.path()); });
}

TEST(OpenSource, WarnsOfBlocksThatAreDecodedAgain) {
  testing::internal::CaptureStderr();
  warn_of_slow_shuffling({.decoded_bytes = 0, .kept_bytes = 0});
  warn_of_slow_shuffling({.decoded_bytes = 500, .kept_bytes = 500});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  warn_of_slow_shuffling({.decoded_bytes = 501, .kept_bytes = 500});
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::HasSubstr("`ganscale data convert` makes a dataset that is read image by image"
                         "  image_bytes=501  kept_bytes=500"));
}

TEST(OpenSource, IgnoresAConversionThatDidNotFinish) {
  const TemporaryFolder folder;
  folder.write(".partial-a-r01.tfrecords", "half a record");
  folder.write("a.png", encode_png(flat_image(3, 2, 1)));
  EXPECT_EQ(open_source(folder.path())->describe(0).find(".partial"), std::string::npos);
}

}  // namespace
}  // namespace ganscale::data
