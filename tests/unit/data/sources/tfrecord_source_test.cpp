#include "data/sources/tfrecord_source.h"

#include <openssl/evp.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "data/formats/label_file.h"
#include "data/formats/tf_example.h"
#include "data/formats/tfrecord_writer.h"
#include "data/image/decode.h"
#include "data/sources/open_source.h"
#include "support/expect_error.h"
#include "support/shared_files.h"
#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string sha256(const Bytes& bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned count = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &count, EVP_sha256(), nullptr);
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text += "0123456789abcdef"[digest[i] >> 4];
    text += "0123456789abcdef"[digest[i] & 15];
  }
  return text;
}

/// Writes one image of a byte a value.
void write_values(const std::filesystem::path& file, const Bytes& values) {
  TfrecordWriter writer(file);
  Bytes message;
  for (const std::uint8_t value : values) {
    write_image_example({.shape = {1, 1, 1}, .data = {&value, 1}}, message);
    writer.append(message);
  }
  writer.close();
}

std::uint8_t value_of(const Source& source, std::int64_t index) {
  Record record;
  source.read(index, record);
  return record.bytes[0];
}

TEST(TfrecordSource, CountsRecordsThroughItsShards) {
  const TemporaryFolder folder;
  write_values(folder / "a-r00-00000-of-00003.tfrecords", {10, 11});
  write_values(folder / "a-r00-00001-of-00003.tfrecords", {});
  write_values(folder / "a-r00-00002-of-00003.tfrecords", {12});
  write_label_file(folder / "a-rxx.labels", {{2, 0, 1}, 3, {}});
  const auto source = open_source(folder.path());
  ASSERT_EQ(source->record_count(), 3);
  EXPECT_EQ(value_of(*source, 0), 10);
  EXPECT_EQ(value_of(*source, 1), 11);
  EXPECT_EQ(value_of(*source, 2), 12);
  EXPECT_EQ(source->label_count(), 3);
  EXPECT_EQ(source->label(2), 1);
  EXPECT_THAT(source->describe(2), testing::HasSubstr("00002-of-00003.tfrecords, record 0, "));
}

TEST(TfrecordSource, RefusesLabelsOfAnotherCount) {
  const TemporaryFolder folder;
  write_values(folder / "a-r00.tfrecords", {1, 2});
  write_label_file(folder / "a-rxx.labels", {{0, 0, 0}, 1, {}});
  expect_error(ExitCode::kData, "holds 3 labels for 2 records",
               [&] { open_source(folder.path()); });
}

TEST(TfrecordSource, RefusesAnEmptyFile) {
  const TemporaryFolder folder;
  folder.write("a-r05.tfrecords", "");
  expect_error(ExitCode::kData, "dataset is empty", [&] { open_source(folder.path()); });
}

class TfrecordFixture : public testing::Test {
 protected:
  void SetUp() override {
    const auto folder = shared_file("fixtures/tfrecord-cifar32");
    if (!folder) GTEST_SKIP() << "needs GANSCALE_SHARED/fixtures/tfrecord-cifar32";
    folder_ = *folder;
    setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1);  // the fixtures' folder is read-only
    manifest_ = nlohmann::ordered_json::parse(std::ifstream(folder_ / "manifest.json"));
  }

  void expect_images_of_the_manifest(const Source& source) const {
    ASSERT_EQ(source.record_count(), 70);
    Bytes chw(3 * 32 * 32);
    Record record;
    for (int i = 0; i < 70; ++i) {
      source.read(i, record);
      decode_into(record, {.channels = 3, .resolution = 32}, chw);
      EXPECT_EQ(sha256(chw), manifest_["sha256_chw_uint8"][i].get<std::string>()) << i;
    }
  }

  TemporaryFolder cache_;
  std::filesystem::path folder_;
  nlohmann::ordered_json manifest_;
};

TEST_F(TfrecordFixture, IsReadAsTensorFlowWroteIt) {
  const auto source = open_source(folder_ / "cifar32");
  expect_images_of_the_manifest(*source);
  EXPECT_EQ(source->label_count(), 10);
  for (int i = 0; i < 70; ++i) EXPECT_EQ(source->label(i), manifest_["labels"][i]);
}

TEST_F(TfrecordFixture, IsReadFromGzip) {
  expect_images_of_the_manifest(*open_source(folder_ / "gzip-r05.tfrecords.gz"));
}

TEST_F(TfrecordFixture, HoldsLowerResolutionsToo) {
  const auto source = open_source(folder_ / "cifar32", 8);
  Record record;
  source->read(69, record);
  EXPECT_EQ(record.width, 8);
  EXPECT_EQ(source->label(69), manifest_["labels"][69]);
}

TEST_F(TfrecordFixture, WithAFlippedByteIsRefusedAtItsRecord) {
  const auto source = open_source(folder_ / "corrupt-data-r05.tfrecords");
  Record record;
  int refused = 0;
  for (int i = 0; i < 70; ++i) {
    try {
      source->read(i, record);
    } catch (const DataError& error) {
      ++refused;
      EXPECT_THAT(error.what(), testing::HasSubstr("checksum of the record's data is wrong: " +
                                                   source->describe(i)));
    }
  }
  EXPECT_EQ(refused, 1);
}

TEST_F(TfrecordFixture, ThatIsTruncatedIsRefusedWithRecordAndOffset) {
  // A record of 32x32 is 3111 + 16 bytes, the file 109462: record 35 begins at 109445.
  expect_error(ExitCode::kData, "truncated-r05.tfrecords, record 35, offset 109445",
               [&] { open_source(folder_ / "truncated-r05.tfrecords"); });
}

TEST_F(TfrecordFixture, FolderHoldsSeveralSets) {
  expect_error(ExitCode::kData, "folder contains several", [&] { open_source(folder_); });
}

}  // namespace
}  // namespace ganscale::data
