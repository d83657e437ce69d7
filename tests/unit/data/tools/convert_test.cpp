#include "data/tools/convert.h"

#include "data/sources/open_source.h"
#include "data/storage/storage.h"
#include "support/expect_error.h"
#include "support/shared_files.h"
#include "unit/data/encoded.h"
#include "unit/data/fake_source.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

/// A folder of class folders with `count` flat images of 2x2, of the values 0, 1, ...
void write_images(const TemporaryFolder& folder, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string name = std::string(i % 2 == 0 ? "in/cat/" : "in/dog/") + std::to_string(i);
    folder.write(name + ".png", encode_png(flat_image(3, 2, static_cast<std::uint8_t>(i))));
  }
}

ConvertOptions options_to(const fs::path& folder) {
  ConvertOptions options{.to = folder, .policy = {.channels = 3, .resolution = 2}};
  options.shards = 3;
  options.threads = 2;
  return options;
}

TEST(Convert, WritesShardsThatReadBackInOrderWithLabels) {
  const TemporaryFolder folder;
  write_images(folder, 8);
  const auto in = open_source(folder / "in");
  const Conversion conversion = convert(*in, options_to(folder / "pets.tfrecords"));
  EXPECT_EQ(conversion.written, 8);
  EXPECT_TRUE(conversion.refused.empty());
  EXPECT_EQ(conversion.shards.front(), folder / "pets.tfrecords/pets-r01-00000-of-00003.tfrecords");
  const auto out = open_source(folder / "pets.tfrecords");
  ASSERT_EQ(out->record_count(), 8);
  EXPECT_THAT(out->label_names(), testing::ElementsAre("cat", "dog"));
  Record record;
  const int values[] = {0, 2, 4, 6, 1, 3, 5, 7};  // cats, then dogs
  for (int i = 0; i < 8; ++i) {
    out->read(i, record);
    EXPECT_EQ(record.bytes[11], values[i]);
    EXPECT_EQ(out->label(i), in->label(i));
  }
}

TEST(Convert, WritesAnIndexNextToEachShardAndNothingElse) {
  const TemporaryFolder folder;
  write_images(folder, 3);
  convert(*open_source(folder / "in"), options_to(folder / "out"));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder / "out")) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(
      names, testing::UnorderedElementsAre(
                 "out-r01-00000-of-00003.tfrecords", "out-r01-00001-of-00003.tfrecords",
                 "out-r01-00002-of-00003.tfrecords", "out-r01-00000-of-00003.tfrecords.index",
                 "out-r01-00001-of-00003.tfrecords.index", "out-r01-00002-of-00003.tfrecords.index",
                 "out-rxx.labels", "out-rxx.label-names.json"));
}

TEST(Convert, NamesEveryRefusedImageWithTheReason) {
  const TemporaryFolder folder;
  write_images(folder, 6);
  const auto large = folder.write("in/cat/large.png", encode_png(flat_image(3, 4, 9)));
  const auto broken = folder.write("in/dog/broken.png", "not an image");
  ConvertOptions options = options_to(folder / "out");
  options.most_refused = 2;
  const Conversion conversion = convert(*open_source(folder / "in"), options);
  EXPECT_EQ(conversion.written, 6);
  ASSERT_EQ(conversion.refused.size(), 2U);
  EXPECT_THAT(conversion.refused[0], testing::HasSubstr("image size differs"));
  EXPECT_THAT(conversion.refused[0], testing::HasSubstr(large.string()));
  EXPECT_THAT(conversion.refused[1], testing::HasSubstr("not an image in a known format"));
  EXPECT_THAT(conversion.refused[1], testing::HasSubstr(broken.string()));
  EXPECT_EQ(open_source(folder / "out")->record_count(), 6);
}

TEST(Convert, CountsTheImagesOfWhichItTookTheFirstFrame) {
  const TemporaryFolder folder;
  write_images(folder, 3);
  const GifFrame frame{.width = 2, .height = 2, .indices = {0, 1, 2, 3}};
  folder.write("in/cat/moves.gif", gif_bytes(2, 2, {frame, frame}));
  folder.write("in/cat/stands.gif", gif_bytes(2, 2, {frame}));
  const Conversion conversion = convert(*open_source(folder / "in"), options_to(folder / "out"));
  EXPECT_EQ(conversion.written, 5);
  EXPECT_EQ(conversion.first_frames, 1);
}

TEST(Convert, RefusesAFileThatIsTooLargeForAnImage) {
  const TemporaryFolder folder;
  write_images(folder, 6);
  const auto huge = folder.write("in/cat/huge.png", "");
  fs::resize_file(huge, std::uintmax_t{2} << 30);  // takes no room on the disk
  ConvertOptions options = options_to(folder / "out");
  options.most_refused = 1;
  const Conversion conversion = convert(*open_source(folder / "in"), options);
  EXPECT_EQ(conversion.written, 6);
  ASSERT_EQ(conversion.refused.size(), 1U);
  EXPECT_THAT(conversion.refused[0],
              testing::HasSubstr("file is too large (2147483648 bytes, at most 1073741824): " +
                                 huge.string()));
}

TEST(Convert, GivesUpAndLeavesNothingWhenTooManyAreRefused) {
  const TemporaryFolder folder;
  write_images(folder, 6);
  const auto broken = folder.write("in/dog/broken.png", "not an image");
  const auto in = open_source(folder / "in");
  expect_error(ExitCode::kData, broken.string(), [&] { convert(*in, options_to(folder / "out")); });
  EXPECT_TRUE(fs::is_empty(folder / "out"));
}

TEST(Convert, LeavesNoImageOutBecauseTheStorageFails) {
  const TemporaryFolder folder;
  FakeSource source(6);
  source.on_read = [](std::int64_t index) {
    if (index == 5) throw StorageError("cannot read (Permission denied)");
  };
  ConvertOptions options = options_to(folder / "out");
  options.most_refused = 100;
  expect_error(ExitCode::kData, "cannot read (Permission denied)",
               [&] { convert(source, options); });
  EXPECT_TRUE(fs::is_empty(folder / "out"));
}

TEST(Convert, NeverOverwritesAnotherDataset) {
  const TemporaryFolder folder;
  write_images(folder, 6);
  const auto in = open_source(folder / "in");
  convert(*in, options_to(folder / "out"));
  const auto expect_refused = [&] {
    expect_error(ExitCode::kData, "already contains files of a dataset; choose another or remove",
                 [&] { convert(*in, options_to(folder / "out")); });
  };
  expect_refused();
  for (const char* records : {"0", "1", "2"})
    fs::remove(folder / ("out/out-r01-0000" + std::string(records) + "-of-00003.tfrecords"));
  expect_refused();  // the labels would become those of the new records
  fs::remove(folder / "out/out-rxx.labels");
  expect_refused();
  fs::remove(folder / "out/out-rxx.label-names.json");
  EXPECT_EQ(convert(*in, options_to(folder / "out")).written, 6);
}

TEST(Convert, TakesFolderNamesThatAreNotUtf8) {
  const TemporaryFolder folder;
  for (const char* label : {"caf\xe9", "tea"})
    folder.write("in/" + std::string(label) + "/0.png", encode_png(flat_image(3, 2, 1)));
  ConvertOptions options = options_to(folder / "out");
  options.shards = 1;
  convert(*open_source(folder / "in"), options);
  EXPECT_THAT(open_source(folder / "out")->label_names(),
              testing::ElementsAre("caf\xef\xbf\xbd", "tea"));
}

TEST(Convert, WritesADatasetThatIsFoundInAHiddenFolder) {
  const TemporaryFolder folder;
  write_images(folder, 6);
  const Conversion conversion =
      convert(*open_source(folder / "in"), options_to(folder / ".out.tfrecords"));
  EXPECT_EQ(conversion.shards.front().filename().string(), "out-r01-00000-of-00003.tfrecords");
  EXPECT_EQ(open_source(folder / ".out.tfrecords")->record_count(), 6);
}

TEST(Convert, CanBeRepeatedAfterAnInterruption) {
  const TemporaryFolder folder;
  write_images(folder, 6);
  const auto in = open_source(folder / "in");
  const auto leftover = folder.write("out/.partial-out-r01-00000-of-00009.tfrecords", "half");
  const auto lock = folder.write("out/.lock", "host: a\nprocess: 1\n");
  EXPECT_EQ(convert(*in, options_to(folder / "out")).written, 6);
  EXPECT_FALSE(fs::exists(leftover));
  EXPECT_FALSE(fs::exists(lock));
}

TEST(Convert, RefusesAFolderThatAnotherConversionIsWritingTo) {
  const TemporaryFolder folder;
  write_images(folder, 6);
  const auto in = open_source(folder / "in");
  ConvertOptions options = options_to(folder / "out");
  int refused = 0;
  options.on_progress = [&](std::int64_t, std::int64_t) {
    for (const char* text : {"the folder is in use: ", "choose another folder with --to"})
      expect_error(ExitCode::kConfig, text, [&] { convert(*in, options_to(folder / "out")); });
    ++refused;
  };
  EXPECT_EQ(convert(*in, options).written, 6);
  EXPECT_EQ(refused, 3) << "once for each shard";
  EXPECT_EQ(open_source(folder / "out")->record_count(), 6);
}

TEST(Convert, RefusesImpossibleOptions) {
  const TemporaryFolder folder;
  write_images(folder, 6);
  const auto in = open_source(folder / "in");
  ConvertOptions options = options_to(folder / "out");
  options.shards = 7;
  expect_error(ExitCode::kConfig, "number of records: 7", [&] { convert(*in, options); });
  options = options_to(folder / "out");
  options.policy.resolution = 3;
  expect_error(ExitCode::kConfig, "powers of two: 3x3", [&] { convert(*in, options); });
  options = options_to(folder / "out");
  options.threads = kMostReaderThreads + 1;
  expect_error(ExitCode::kConfig, "threads must be from 1 to 1024", [&] { convert(*in, options); });
}

TEST(Convert, WritesTheBytesThatTensorFlowWrote) {
  const auto fixture = shared_file("fixtures/tfrecord-cifar32");
  if (!fixture) GTEST_SKIP() << "needs GANSCALE_SHARED/fixtures/tfrecord-cifar32";
  const TemporaryFolder folder;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  ConvertOptions options{.to = folder / "cifar32", .policy = {.channels = 3, .resolution = 32}};
  convert(*open_source(*fixture / "cifar32"), options);
  EXPECT_EQ(read_file(folder / "cifar32/cifar32-r05.tfrecords"),
            read_file(*fixture / "cifar32-r05.tfrecords"));
  EXPECT_EQ(read_file(folder / "cifar32/cifar32-rxx.labels"),
            read_file(*fixture / "cifar32-rxx.labels"));
}

TEST(Convert, ReportsItsProgress) {
  const TemporaryFolder folder;
  write_images(folder, 6);
  ConvertOptions options = options_to(folder / "out");
  std::int64_t last = 0;
  options.on_progress = [&](std::int64_t done, std::int64_t total) {
    EXPECT_GT(done, last);
    EXPECT_EQ(total, 6);
    last = done;
  };
  convert(*open_source(folder / "in"), options);
  EXPECT_EQ(last, 6);
}

}  // namespace
}  // namespace ganscale::data
