#include "data/sources/folder_source.h"

#include <archive.h>
#include <archive_entry.h>

#include <clocale>

#include "data/image/decode.h"
#include "data/sources/open_source.h"
#include "data/sources/read_image.h"
#include "support/expect_error.h"
#include "support/shared_files.h"
#include "unit/data/encoded.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

using Members = std::vector<std::pair<std::string, std::string>>;

/// Writes a tar file by libarchive, as it is or through gzip.
fs::path write_tar(const fs::path& file, const Members& members, bool gzip = false) {
  archive* out = archive_write_new();
  archive_write_set_format_pax_restricted(out);
  if (gzip) archive_write_add_filter_gzip(out);
  archive_write_open_filename(out, file.c_str());
  for (const auto& [name, content] : members) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_write_header(out, entry);
    archive_write_data(out, content.data(), content.size());
    archive_entry_free(entry);
  }
  archive_write_free(out);
  return file;
}

std::uint8_t first_byte(const Source& source, std::int64_t index) {
  Record record;
  source.read(index, record);
  return decode(record).hwc[0];
}

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

TEST(FolderSource, NamesAFileThatIsNoImage) {
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

TEST(TarSource, ReadsEveryFormatOfImages) {
  const TemporaryFolder folder;
  Members members;
  for (const FileOfAKind& file : files_of_all_kinds()) {
    members.emplace_back("image" + file.extension, file.bytes);
  }
  const auto source = open_source(write_tar(folder / "a.tar", members));
  ASSERT_EQ(source->record_count(), 6);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(first_byte(*source, i), 255, 2) << source->describe(i);
}

TEST(TarSource, ReadsMembersInPlace) {
  const TemporaryFolder folder;
  const std::string long_name(150, 'x');  // more than a tar header holds
  const auto file = write_tar(
      folder / "a.tar", {{"set/dog/1.png", encode_png(flat_image(3, 2, 10))},
                         {"set/notes.txt", "not an image"},
                         {"set/cat/" + long_name + ".png", encode_png(flat_image(3, 2, 20))}});
  const auto source = open_source(file);
  ASSERT_EQ(source->record_count(), 2);
  EXPECT_THAT(source->label_names(), testing::ElementsAre("cat", "dog"));
  EXPECT_EQ(first_byte(*source, 0), 20);
  EXPECT_EQ(first_byte(*source, 1), 10);
  EXPECT_EQ(source->label(1), 1);
}

TEST(TarSource, ReadsDatasetJsonOfItsFolder) {
  const TemporaryFolder folder;
  const auto file =
      write_tar(folder / "a.tar", {{"set/1.png", encode_png(flat_image(3, 2, 10))},
                                   {"set/dataset.json", R"({"labels": [["1.png", 2]]})"}});
  EXPECT_EQ(open_source(file)->label(0), 2);
}

TEST(TarSource, ReadsNamesThatTheLocaleCannotSpell) {
  const TemporaryFolder folder;
  ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr);  // to write them
  const auto file =
      write_tar(folder / "a.tar", {{"d/Größe/2.png", encode_png(flat_image(3, 2, 10))},
                                   {"d/klein/1.png", encode_png(flat_image(3, 2, 20))}});
  std::setlocale(LC_CTYPE, "C");
  const auto source = open_source(file);
  EXPECT_THAT(source->label_names(), testing::ElementsAre("Größe", "klein"));
  EXPECT_EQ(first_byte(*source, 0), 10);
}

TEST(TarSource, RefusesCompressedTruncatedAndOtherFiles) {
  const TemporaryFolder folder;
  const Members members = {{"1.png", encode_png(flat_image(3, 8, 10))}};
  const auto gzip = write_tar(folder / "a.tar.gz", members, true);
  expect_error(ExitCode::kData, "unpack it first: " + gzip.string(), [&] { open_source(gzip); });
  const auto whole = read_file(write_tar(folder / "a.tar", members));
  const auto cut = folder.write("b.tar", {reinterpret_cast<const char*>(whole.data()), 540});
  expect_error(ExitCode::kData, cut.string(), [&] { open_source(cut); });
  const auto other = folder.write("c.tar", std::string(2000, 'x'));
  expect_error(ExitCode::kData, "tar file is damaged", [&] { open_source(other); });
}

TEST(TarSource, ReadsCifarAsJpeg) {
  const auto file = shared_file("data/cifar10-jpeg/test.tar");
  if (!file) GTEST_SKIP() << "needs GANSCALE_SHARED/data/cifar10-jpeg/test.tar";
  const auto source = open_source(*file);
  EXPECT_EQ(source->record_count(), 10000);
  EXPECT_EQ(source->label_count(), 10);
  EXPECT_EQ(source->label_names().front(), "airplane");
  Record record;
  for (const std::int64_t index : {0, 5000, 9999}) {
    source->read(index, record);
    const Image image = decode(record);
    EXPECT_EQ(image.channels, 3);
    EXPECT_EQ(image.width, 32);
  }
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
