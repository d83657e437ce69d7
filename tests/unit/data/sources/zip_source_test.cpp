#include "data/sources/zip_source.h"

#include <isa-l/crc.h>

#include "data/image/decode.h"
#include "data/sources/open_source.h"
#include "support/expect_error.h"
#include "support/shared_files.h"
#include "unit/data/deflated.h"
#include "unit/data/encoded.h"

namespace ganscale::data {
namespace {

struct File {
  std::string name;
  std::string content;
  bool deflate = false;
};

struct Options {
  bool zip64 = false;            ///< all numbers in zip64 fields
  std::string local_extra = {};  ///< in the local header only
  std::string comment = {};      ///< at the very end
  std::uint16_t flags = 0;
};

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

/// The records behind the directory.
std::string end_of(std::uint64_t file_count, std::uint64_t directory_offset,
                   std::uint64_t directory_bytes, const Options& options) {
  std::string out;
  if (options.zip64) {
    out += "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) +
           number(file_count, 8) + number(file_count, 8) + number(directory_bytes, 8) +
           number(directory_offset, 8);
    out +=
        "PK\x06\x07" + number(0, 4) + number(directory_offset + directory_bytes, 8) + number(1, 4);
  }
  const std::uint64_t most16 = options.zip64 ? 0xffff : file_count;
  const std::uint64_t most32 = 0xffffffff;
  return out + "PK\x05\x06" + number(0, 4) + number(most16, 2) + number(most16, 2) +
         number(options.zip64 ? most32 : directory_bytes, 4) +
         number(options.zip64 ? most32 : directory_offset, 4) + number(options.comment.size(), 2) +
         options.comment;
}

/// Writes an archive by the format's tables (APPNOTE.TXT 4.3.7, 4.3.12, 4.3.14 to 4.3.16).
std::string zip_bytes(const std::vector<File>& files, const Options& options = {}) {
  std::string out;
  std::string directory;
  for (const File& file : files) {
    const std::string packed = file.deflate ? deflated(file.content, -MAX_WBITS) : file.content;
    const auto* bytes = reinterpret_cast<const unsigned char*>(file.content.data());
    const std::uint32_t crc = crc32_gzip_refl(0, bytes, file.content.size());
    const std::string common = number(20, 2) + number(options.flags, 2) +
                               number(file.deflate ? 8 : 0, 2) + number(0, 4) + number(crc, 4);
    const std::uint64_t header_offset = out.size();
    out += "PK\x03\x04" + common + number(packed.size(), 4) + number(file.content.size(), 4) +
           number(file.name.size(), 2) + number(options.local_extra.size(), 2) + file.name +
           options.local_extra + packed;
    const std::string extra = number(1, 2) + number(24, 2) + number(file.content.size(), 8) +
                              number(packed.size(), 8) + number(header_offset, 8);
    const auto in32 = [&](std::uint64_t value) { return options.zip64 ? 0xffffffff : value; };
    directory += "PK\x01\x02" + number(20, 2) + common + number(in32(packed.size()), 4) +
                 number(in32(file.content.size()), 4) + number(file.name.size(), 2) +
                 number(options.zip64 ? extra.size() : 0, 2) + std::string(10, '\0') +
                 number(in32(header_offset), 4) + file.name + (options.zip64 ? extra : "");
  }
  return out + directory + end_of(files.size(), out.size(), directory.size(), options);
}

std::vector<File> two_images() {
  return {{"b/2.png", encode_png(flat_image(3, 2, 20)), true},
          {"a/1.png", encode_png(flat_image(3, 2, 10)), false},
          {"dataset.json", R"({"labels": [["a/1.png", 3], ["b/2.png", 1]]})", true}};
}

void expect_two_images(const std::string& zip) {
  const TemporaryFolder folder;
  const auto source = open_source(folder.write("a.zip", zip));
  ASSERT_EQ(source->record_count(), 2);
  EXPECT_EQ(source->label(0), 3);
  EXPECT_EQ(source->label(1), 1);
  Record record;
  source->read(1, record);
  EXPECT_EQ(decode(record).hwc[0], 20);
  source->read(0, record);
  EXPECT_EQ(decode(record).hwc[0], 10);
}

TEST(ZipSource, ReadsEveryFormatOfImages) {
  const TemporaryFolder folder;
  std::vector<File> files;
  for (const FileOfAKind& file : files_of_all_kinds()) {
    files.push_back({"image" + file.extension, file.bytes, true});
  }
  const auto source = open_source(folder.write("a.zip", zip_bytes(files)));
  ASSERT_EQ(source->record_count(), 6);
  Record record;
  for (int i = 0; i < 6; ++i) {
    source->read(i, record);
    EXPECT_NEAR(decode(record).hwc[0], 255, 2) << source->describe(i);
  }
}

TEST(ZipSource, ReadsStoredAndDeflatedFiles) { expect_two_images(zip_bytes(two_images())); }

TEST(ZipSource, ReadsZip64) { expect_two_images(zip_bytes(two_images(), {.zip64 = true})); }

TEST(ZipSource, ReadsAroundLongExtrasAndComments) {
  expect_two_images(
      zip_bytes(two_images(), {.local_extra = number(9, 2) + number(300, 2) + std::string(300, 'x'),
                               .comment = std::string(1000, 'c')}));
}

TEST(ZipSource, ReadsMoreFilesThanItsDirectoryCounts) {
  std::string zip = zip_bytes(two_images());
  zip[zip.size() - 22 + 10] = 1;  // as of 65,537 files without zip64
  expect_two_images(zip);
}

TEST(ZipSource, LabelsByTheDatasetJsonInAFolderOfAllImages) {
  const TemporaryFolder folder;
  auto files = two_images();
  for (File& file : files) file.name = "set/" + file.name;
  const auto source = open_source(folder.write("a.zip", zip_bytes(files)));
  EXPECT_EQ(source->label(0), 3);
  EXPECT_EQ(source->label(1), 1);
  files.push_back({"other/3.png", encode_png(flat_image(3, 2, 30))});
  const auto of_two = open_source(folder.write("b.zip", zip_bytes(files)));
  EXPECT_THAT(of_two->label_names(), testing::ElementsAre("other", "set"));
}

TEST(ZipSource, ReadsTheLastFileOfAName) {
  const std::string older_labels = R"({"labels": [["a/1.png", 0], ["b/2.png", 0]]})";
  std::vector<File> files = {{"a/1.png", encode_png(flat_image(3, 2, 90))},
                             {"dataset.json", older_labels}};
  const auto newer = two_images();
  files.insert(files.end(), newer.begin(), newer.end());
  expect_two_images(zip_bytes(files));
}

TEST(ZipSource, LabelsByFoldersWithoutDatasetJson) {
  const TemporaryFolder folder;
  auto files = two_images();
  files.pop_back();
  const auto source = open_source(folder.write("a.zip", zip_bytes(files)));
  EXPECT_THAT(source->label_names(), testing::ElementsAre("a", "b"));
}

TEST(ZipSource, RefusesATruncatedFile) {
  const TemporaryFolder folder;
  const std::string whole = zip_bytes(two_images());
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    const auto file = folder.write("a.zip", whole.substr(0, length));
    expect_error(ExitCode::kData, "zip file is truncated", [&] { open_source(file); });
  }
}

TEST(ZipSource, NeverTrustsADamagedByte) {
  const TemporaryFolder folder;
  const std::string whole = zip_bytes(two_images(), {.zip64 = true});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    const auto file = folder.write("a.zip", damaged);
    try {  // a name or a date may change unseen; an image may not, and nothing may crash
      const auto source = open_source(file);
      Record record;
      for (std::int64_t r = 0; r < source->record_count(); ++r) {
        source->read(r, record);
        const std::uint8_t value = decode(record).hwc[0];
        EXPECT_TRUE(value == 10 || value == 20) << i;
      }
    } catch (const DataError&) {
    }
  }
}

TEST(ZipSource, NamesTheRecordWhoseChecksumIsWrong) {
  const TemporaryFolder folder;
  std::string zip = zip_bytes({{"1.png", encode_png(flat_image(3, 2, 10))}});
  zip[30 + 5 + 20] ^= 1;
  const auto source = open_source(folder.write("a.zip", zip));
  Record record;
  expect_error(ExitCode::kData, "checksum of the file is wrong: " + source->describe(0),
               [&] { source->read(0, record); });
  EXPECT_THAT(source->describe(0), testing::HasSubstr("a.zip, record 0 (1.png), offset 0"));
}

TEST(ZipSource, RefusesAFileOfMorePackedBytesThanAnImageHas) {
  const TemporaryFolder folder;
  const std::uint64_t packed_bytes = (std::uint64_t{1} << 30) + 1;
  const std::uint64_t directory_offset = packed_bytes + 100;
  const std::string directory = "PK\x01\x02" + number(20, 2) + number(20, 2) + number(0, 2) +
                                number(8, 2) + number(0, 8) + number(packed_bytes, 4) +
                                number(4, 4) + number(5, 2) + std::string(16, '\0') + "1.png";
  const auto file = folder.write("a.zip", "");
  std::filesystem::resize_file(file, directory_offset);  // a hole
  std::ofstream(file, std::ios::binary | std::ios::app)
      << directory << end_of(1, directory_offset, directory.size(), {});
  const auto source = open_source(file);
  Record record;
  expect_error(ExitCode::kData, "file is too large", [&] { source->read(0, record); });
}

TEST(ZipSource, RefusesAFileThatClaimsMoreThanItsPackedBytesCanHold) {
  const TemporaryFolder folder;
  std::string zip = zip_bytes({{"1.png", "1", true}});
  zip.replace(zip.find("PK\x01\x02") + 24, 4, number(std::uint64_t{1} << 30, 4));
  const auto source = open_source(folder.write("a.zip", zip));
  Record record;
  expect_error(ExitCode::kData, "file is damaged (it cannot unpack to 1073741824 bytes)",
               [&] { source->read(0, record); });
}

TEST(ZipSource, UnpacksAsMuchAsDeflateCanPack) {
  const TemporaryFolder folder;
  const std::string zeros(std::size_t{1} << 24, '\0');
  const auto source = open_source(folder.write("a.zip", zip_bytes({{"1.png", zeros, true}})));
  Record record;
  source->read(0, record);
  EXPECT_EQ(record.bytes.size(), zeros.size());
}

TEST(ZipSource, RefusesAGzippedFileBeforeUnpackingIt) {
  const TemporaryFolder folder;
  for (const std::string& gzip :
       {deflated(zip_bytes(two_images()), MAX_WBITS + 16), std::string("\x1f\x8b\x08 damaged")}) {
    const auto file = folder.write("a.zip", gzip);
    expect_error(ExitCode::kData,
                 "compressed file has no random access; unpack it first: " + file.string(),
                 [&] { open_source(file); });
  }
}

TEST(ZipSource, SaysThatItsImagesAreHidden) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("a.zip", zip_bytes({{".hid/1.png", encode_png(flat_image(3, 2, 1))}}));
  expect_error(ExitCode::kData, "only images that are hidden, such as .hid/1.png; rename",
               [&] { open_source(file); });
}

TEST(ZipSource, RefusesAnEncryptedFile) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.zip", zip_bytes({{"1.png", "secret"}}, {.flags = 1}));
  const auto source = open_source(file);
  Record record;
  expect_error(ExitCode::kData, "file is encrypted", [&] { source->read(0, record); });
}

TEST(ZipSource, ReadsTheFixture) {
  const auto file = shared_file("fixtures/cifar32-stylegan2ada.zip");
  if (!file) GTEST_SKIP() << "needs GANSCALE_SHARED/fixtures/cifar32-stylegan2ada.zip";
  const auto source = open_source(*file);
  ASSERT_EQ(source->record_count(), 60);
  EXPECT_EQ(source->label(0), 0);
  EXPECT_GT(source->label_count(), 1);
  Record record;
  for (int i = 0; i < 60; ++i) {
    source->read(i, record);
    const Image image = decode(record);
    EXPECT_EQ(image.channels, 3);
    EXPECT_EQ(image.height, 32);
  }
}

}  // namespace
}  // namespace ganscale::data
