#include "data/sources/idx_source.h"

#include <zlib.h>

#include "data/formats/file_bytes.h"
#include "data/sources/open_source.h"
#include "support/expect_error.h"
#include "support/shared_files.h"
#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

using std::string_literals::operator""s;

// Three images of 1x2 pixels: (1, 2), (3, 4), (5, 6).
const std::string kImages = "\0\0\x08\x03\0\0\0\x03\0\0\0\x01\0\0\0\x02\x01\x02\x03\x04\x05\x06"s;
const std::string kLabels = "\0\0\x08\x01\0\0\0\x03\x01\x00\x04"s;

TEST(IdxSource, ReadsImagesAndLabelsOfAFolder) {
  const TemporaryFolder folder;
  folder.write("train-images-idx3-ubyte", kImages);
  folder.write("train-labels-idx1-ubyte", kLabels);
  const auto source = open_source(folder.path());
  EXPECT_EQ(source->record_count(), 3);
  EXPECT_EQ(source->label_count(), 5);
  Record record;
  source->read(2, record);
  EXPECT_THAT(record.bytes, testing::ElementsAre(5, 6));
  EXPECT_EQ(record.width, 2);
  EXPECT_EQ(record.label, 4);
}

TEST(IdxSource, ReadsGzip) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "t10k-images-idx3-ubyte.gz";
  gzFile out = gzopen(file.c_str(), "wb");
  gzwrite(out, kImages.data(), kImages.size());
  gzclose(out);
  const auto source = open_source(file);
  Record record;
  source->read(1, record);
  EXPECT_THAT(record.bytes, testing::ElementsAre(3, 4));
  EXPECT_EQ(source->label_count(), 0);
  EXPECT_EQ(record.label, -1);
}

TEST(IdxSource, FindsLabelsThatAreCompressedAndImagesThatAreNot) {
  const TemporaryFolder folder;
  const auto file = folder.write("train-images-idx3-ubyte", kImages);
  gzFile out = gzopen((folder / "train-labels-idx1-ubyte.gz").c_str(), "wb");
  gzwrite(out, kLabels.data(), kLabels.size());
  gzclose(out);
  EXPECT_EQ(open_source(file)->label_count(), 5);
}

TEST(IdxSource, RefusesATruncatedFileWithRecordAndOffset) {
  const TemporaryFolder folder;
  const auto file = folder.write("a-images-idx3-ubyte", kImages.substr(0, kImages.size() - 1));
  expect_error(ExitCode::kData, "a-images-idx3-ubyte, record 2, offset 20",
               [&] { open_source(file); });
}

TEST(IdxSource, RefusesADamagedGzip) {
  const TemporaryFolder folder;
  const auto file = folder.write("a-images-idx3-ubyte.gz", "\x1f\x8b\x08\0garbage that follows"s);
  expect_error(ExitCode::kData, "a-images-idx3-ubyte.gz", [&] { open_source(file); });
}

TEST(IdxSource, RefusesLabelsOfAnotherCount) {
  const TemporaryFolder folder;
  const auto file = folder.write("a-images-idx3-ubyte", kImages);
  folder.write("a-labels-idx1-ubyte", "\0\0\x08\x01\0\0\0\x02\x01\x00"s);
  expect_error(ExitCode::kData, "holds 2 labels", [&] { open_source(file); });
}

TEST(IdxSource, RefusesAnotherMagicNumberAndAnEmptyFile) {
  const TemporaryFolder folder;
  const auto labels = folder.write("a-images-idx3-ubyte", kLabels + "12345678");
  expect_error(ExitCode::kData, "magic number", [&] { open_source(labels); });
  const auto empty = folder.write("b-images-idx3-ubyte", "");
  expect_error(ExitCode::kData, "b-images-idx3-ubyte, offset 0", [&] { open_source(empty); });
}

TEST(IdxSource, ReadsMnist) {
  const auto folder = shared_file("data/mnist");
  if (!folder) GTEST_SKIP() << "needs GANSCALE_SHARED/data/mnist";
  const auto source = open_source(*folder);
  EXPECT_EQ(source->record_count(), 60000);
  EXPECT_EQ(source->label_count(), 10);
  const auto test = open_source(*folder / "t10k-images-idx3-ubyte.gz");
  EXPECT_EQ(test->record_count(), 10000);
  std::int64_t ones = 0;
  for (std::int64_t i = 0; i < 10000; ++i) ones += test->label(i) == 1;
  EXPECT_EQ(ones, 1135);  // as published
}

}  // namespace
}  // namespace ganscale::data
