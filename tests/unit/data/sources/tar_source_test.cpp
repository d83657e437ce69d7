#include "data/sources/tar_source.h"

#include <archive.h>
#include <archive_entry.h>

#include <clocale>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "data/sources/open_source.h"
#include "data/sources/read_image.h"
#include "files/atomic_file.h"
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

std::string png(std::uint8_t value) { return encode_png(flat_image(3, 2, value)); }

std::vector<std::int64_t> labels_of(const Source& source) {
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < source.record_count(); ++i) labels.push_back(source.label(i));
  return labels;
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

TEST(TarSource, ReadsTheOutermostDatasetJsonOfAllImages) {
  const TemporaryFolder folder;
  const std::string labels = R"({"labels": [["a/1.png", 3], ["b/2.png", 1]]})";
  const Members images = {{"a/1.png", png(10)}, {"b/2.png", png(20)}};
  const auto open = [&](Members members) {
    members.insert(members.end(), images.begin(), images.end());
    return open_source(write_tar(folder / "a.tar", members));
  };
  const auto both =
      open({{"a/dataset.json", R"({"labels": [["1.png", 7]]})"}, {"dataset.json", labels}});
  EXPECT_THAT(labels_of(*both), testing::ElementsAre(3, 1));
  const auto of_some = open({{"a/dataset.json", R"({"labels": [["1.png", 7]]})"}});
  EXPECT_THAT(of_some->label_names(), testing::ElementsAre("a", "b"));
}

// As `tar -r` appends newer versions.
TEST(TarSource, ReadsTheLastMemberOfAName) {
  const TemporaryFolder folder;
  const auto samples = open_source(write_tar(folder / "a.tar", {{"0.png", png(10)},
                                                                {"0.cls", "3"},
                                                                {"1.png", png(20)},
                                                                {"1.cls", "0"},
                                                                {"0.png", png(30)},
                                                                {"0.cls", "1"}}));
  EXPECT_THAT(labels_of(*samples), testing::ElementsAre(1, 0));
  EXPECT_EQ(first_byte(*samples, 0), 30);
  const auto images =
      open_source(write_tar(folder / "b.tar", {{"0.png", png(10)}, {"./0.png", png(30)}}));
  ASSERT_EQ(images->record_count(), 1);
  EXPECT_EQ(first_byte(*images, 0), 30);
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
  const auto damaged_gzip = folder.write("b.tar.gz", "\x1f\x8b\x08 damaged");
  expect_error(ExitCode::kData, "compressed file has no random access; unpack it first: ", [&] {
    open_source(damaged_gzip);
  });
  const auto whole = read_file(write_tar(folder / "a.tar", members));
  const auto cut = folder.write("b.tar", {reinterpret_cast<const char*>(whole.data()), 540});
  expect_error(ExitCode::kData, cut.string(), [&] { open_source(cut); });
  const auto other = folder.write("c.tar", std::string(2000, 'x'));
  expect_error(ExitCode::kData, "tar file is damaged", [&] { open_source(other); });
}

// libarchive would start this program to unpack the file.
TEST(TarSource, RefusesACompressedFileWithoutStartingAProgram) {
  const TemporaryFolder folder;
  const auto program = folder.write("bin/lrzip", "#!/bin/sh\n: > \"$0.ran\"\n");
  fs::permissions(program, fs::perms::owner_all);
  const std::string usual_path = std::getenv("PATH");
  setenv("PATH", (program.parent_path().string() + ":" + usual_path).c_str(), /*overwrite=*/1);
  const auto file = folder.write("a.tar", std::string("LRZI\0\6", 6) + std::string(1000, '\0'));
  expect_error(ExitCode::kData,
               "compressed file has no random access; unpack it first: " + file.string(),
               [&] { open_source(file); });
  setenv("PATH", usual_path.c_str(), /*overwrite=*/1);
  EXPECT_FALSE(fs::exists(program.string() + ".ran"));
}

TEST(TarSource, SaysThatItsImagesAreHidden) {
  const TemporaryFolder folder;
  const auto file = write_tar(folder / "a.tar", {{".hid/0.png", png(1)}, {".hid/1.png", png(2)}});
  testing::internal::CaptureStderr();
  expect_error(ExitCode::kData, "only images that are hidden, such as .hid/0.png; rename",
               [&] { open_source(file); });
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::Not(testing::HasSubstr("Left out")));
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

TEST(TarSource, TakesLabelsFromTheClassFilesOfSamples) {
  const TemporaryFolder folder;
  const auto file = write_tar(folder / "a.tar", {{"000000.png", png(10)},
                                                 {"000000.cls", "2\n"},
                                                 {"000000.json", R"({"label": 7})"},
                                                 {"000001.thumb.png", png(20)},
                                                 {"000001.cls", "0"}});
  const auto source = open_source(file);
  EXPECT_THAT(labels_of(*source), testing::ElementsAre(2, 0));
  EXPECT_EQ(source->label_count(), 3);
}

TEST(TarSource, TakesLabelsFromTheJsonOfSamples) {
  const TemporaryFolder folder;
  const auto labeled =
      write_tar(folder / "a.tar", {{"0.png", png(10)}, {"0.json", R"({"label": 1})"}});
  EXPECT_THAT(labels_of(*open_source(labeled)), testing::ElementsAre(1));
  const auto captioned =
      write_tar(folder / "b.tar", {{"0.png", png(10)}, {"0.json", R"({"caption": "a cat"})"}});
  EXPECT_EQ(open_source(captioned)->label_count(), 0);
}

TEST(TarSource, RefusesSamplesWithoutAValidLabel) {
  const TemporaryFolder folder;
  const auto lacking = write_tar(
      folder / "a.tar", {{"0.png", png(1)}, {"0.cls", "1"}, {"1.png", png(2)}, {"1.txt", "a cat"}});
  expect_error(ExitCode::kData,
               "no label in a .cls file beside it, but others have: " + lacking.string() +
                   ", 1.png, offset ",
               [&] { open_source(lacking); });
  const auto odd = write_tar(folder / "b.tar", {{"0.png", png(1)}, {"0.cls", "cat"}});
  expect_error(ExitCode::kData,
               "not an integer from 0 on (cat): " + odd.string() + ", 0.cls, offset ",
               [&] { open_source(odd); });
}

/// A file that `tar` writes once, and its other names.
fs::path write_linked(const fs::path& file, const Members& members, const Members& hard,
                      const Members& symbolic) {
  archive* out = archive_write_new();
  archive_write_set_format_gnutar(out);
  archive_write_open_filename(out, file.c_str());
  const auto write = [&](const std::string& name, unsigned type, const std::string& content,
                         const auto& set) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, type);
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    set(entry);
    archive_write_header(out, entry);
    archive_write_data(out, content.data(), content.size());
    archive_entry_free(entry);
  };
  for (const auto& [name, content] : members) write(name, AE_IFREG, content, [](auto*) {});
  for (const auto& [name, target] : hard)
    write(name, AE_IFREG, "",
          [&](auto* entry) { archive_entry_set_hardlink(entry, target.c_str()); });
  for (const auto& [name, target] : symbolic)
    write(name, AE_IFLNK, "",
          [&](auto* entry) { archive_entry_set_symlink(entry, target.c_str()); });
  archive_write_free(out);
  return file;
}

TEST(TarSource, ReadsLinksAsTheFilesThatTheyAreTo) {
  const TemporaryFolder folder;
  const auto file = write_linked(
      folder / "a.tar", {{"set/a/1.png", png(10)}, {"set/b/1.png", png(20)}},
      {{"set/b/0.png", "set/a/1.png"}}, {{"set/b/2.png", "../a/./1.png"}, {"latest", "nowhere"}});
  const auto source = open_source(file);
  EXPECT_EQ(labels_of(*source), (std::vector<std::int64_t>{0, 1, 1, 1}));
  for (const auto& [record, value] : {std::pair(0, 10), {1, 10}, {2, 20}, {3, 10}})
    EXPECT_EQ(first_byte(*source, record), value) << source->describe(record);
}

/// A tar file as `tar --sparse` writes it: of the first member's 4096 bytes only the last are in
/// it.
fs::path write_sparse(const fs::path& file, const std::string& name) {
  constexpr std::int64_t kBytes = 4096;
  constexpr std::int64_t kHole = 2048;
  archive* out = archive_write_new();
  archive_write_set_format_pax(out);
  archive_write_open_filename(out, file.c_str());
  const auto write = [&](const std::string& member, const std::string& content, bool is_sparse) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, member.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    if (is_sparse) archive_entry_sparse_add_entry(entry, kHole, kBytes - kHole);
    archive_write_header(out, entry);
    archive_write_data(out, content.data(), content.size());
    archive_entry_free(entry);
  };
  write(name, std::string(kHole, '\0') + std::string(kBytes - kHole, 'x'), true);
  write("z.png", png(10), false);
  archive_write_free(out);
  return file;
}

TEST(TarSource, RefusesAnImageWithHoles) {
  const TemporaryFolder folder;
  const auto file = write_sparse(folder / "a.tar", "a.bmp");
  expect_error(ExitCode::kData,
               "is sparse; write the tar file without --sparse: " + file.string() + ", a.bmp",
               [&] { open_source(file); });
  const auto source = open_source(write_sparse(folder / "b.tar", "a.bin"));
  ASSERT_EQ(source->record_count(), 1);
  EXPECT_EQ(first_byte(*source, 0), 10);
}

/// A tar file of one image of 2 GiB, which takes no room on the disk.
fs::path write_huge(const TemporaryFolder& folder) {
  constexpr std::size_t kSize = 124;
  constexpr std::size_t kChecksum = 148;
  constexpr std::size_t kHeaderBytes = 512;
  const fs::path file = write_tar(folder / "a.tar", {{"a.png", ""}});
  std::string header = files::read_file(file).substr(0, kHeaderBytes);
  header.replace(kSize, 11, "20000000000");
  header.replace(kChecksum, 8, 8, ' ');
  unsigned sum = 0;
  for (const unsigned char byte : header) sum += byte;
  std::snprintf(header.data() + kChecksum, 8, "%06o", sum);
  folder.write("a.tar", header);
  fs::resize_file(file, (std::uintmax_t{2} << 30) + 3 * kHeaderBytes);
  return file;
}

TEST(TarSource, RefusesAFileThatIsTooLargeForAnImage) {
  const TemporaryFolder folder;
  const auto file = write_huge(folder);
  const auto source = open_source(file);
  Record record;
  expect_error(ExitCode::kData,
               "file is too large (2147483648 bytes, at most 1073741824): " + file.string() +
                   ", record 0 (a.png), offset 512",
               [&] { source->read(0, record); });
}

TEST(TarSource, ReadsTheShardsOfAFolderWithAPreviewBesideThem) {
  const TemporaryFolder folder;
  write_tar(folder / "0.tar", {{"0.png", png(10)}});
  write_tar(folder / "1.tar", {{"0.png", png(20)}});
  folder.write("README/preview.png", png(30));
  folder.write("logo.png", png(40));
  const auto source = open_source(folder.path());
  ASSERT_EQ(source->record_count(), 2);
  EXPECT_EQ(first_byte(*source, 1), 20);
}

TEST(TarSource, FollowsLinksToLinksAndNamesOfTheFolderItself) {
  const TemporaryFolder folder;
  const auto file = write_linked(folder / "a.tar", {{"./0.png", png(10)}}, {},
                                 {{"./1.png", "2.png"}, {"./2.png", "./0.png"}});
  const auto source = open_source(file);
  ASSERT_EQ(source->record_count(), 3);
  for (int record = 0; record < 3; ++record) EXPECT_EQ(first_byte(*source, record), 10);
}

TEST(TarSource, ReadsTheLinkThatReplacesAFile) {
  const TemporaryFolder folder;
  const auto file = write_linked(folder / "a.tar", {{"0.png", png(10)}, {"1.png", png(20)}}, {},
                                 {{"1.png", "nowhere.png"}, {"1.png", "0.png"}});
  const auto source = open_source(file);
  ASSERT_EQ(source->record_count(), 2);
  EXPECT_EQ(first_byte(*source, 1), 10);
}

TEST(TarSource, RefusesAnImageThatIsALinkToNoMember) {
  const TemporaryFolder folder;
  const auto file =
      write_linked(folder / "a.tar", {{"set/1.png", png(10)}}, {}, {{"set/2.png", "/data/2.png"}});
  expect_error(ExitCode::kData,
               "link to a file that is not in the tar file (/data/2.png): " + file.string() +
                   ", set/2.png, offset ",
               [&] { open_source(file); });
}

TEST(TarSource, WarnsOnceAboutSkippedMembers) {
  const TemporaryFolder folder;
  const auto file = write_tar(
      folder / "a.tar",
      {{"0.png", png(1)}, {"0.txt", "a cat"}, {"0.npy", "?"}, {"1.png", png(1)}, {"1.txt", "?"}});
  testing::internal::CaptureStderr();
  open_source(file);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("neither images nor labels  files=1 .npy, 2 .txt"));
}

class TarShards : public testing::Test {
 protected:
  TarShards() {
    write_tar(folder_ / "train-08.tar", {{"0.png", png(80)}, {"0.cls", "0"}});
    write_tar(folder_ / "train-09.tar", {{"0.png", png(90)}, {"0.cls", "1"}});
    write_tar(folder_ / "train-10.tar", {{"0.png", png(100)}, {"0.cls", "2"}});
  }

  TemporaryFolder folder_;
};

TEST_F(TarShards, AreOneDatasetInTheOrderOfTheirNames) {
  const auto source = open_source(folder_.path());
  ASSERT_EQ(source->record_count(), 3);
  EXPECT_EQ(first_byte(*source, 0), 80);
  EXPECT_EQ(first_byte(*source, 2), 100);
  EXPECT_THAT(labels_of(*source), testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(source->describe(1),
              testing::HasSubstr("train-09.tar, record 1 (0.png), offset 512"));
}

TEST_F(TarShards, AreNamedByAPattern) {
  const auto source = open_source(folder_.path() / "train-{09..10}.tar");
  ASSERT_EQ(source->record_count(), 2);
  EXPECT_EQ(first_byte(*source, 0), 90);
}

TEST_F(TarShards, RefuseAPatternWithAMissingShard) {
  expect_error(ExitCode::kData, (folder_ / "train-11.tar").string(),
               [&] { open_source(folder_.path() / "train-{08..11}.tar"); });
}

TEST_F(TarShards, AreRefusedWhereverOneEndsEarly) {
  const auto bytes = read_file(folder_ / "train-09.tar");
  // A header and the padded content of each of two members; what follows is the end.
  for (const int size_bytes : {100, 512, 540, 1024, 1100, 1540, 2048}) {
    const auto cut = folder_.write(
        "train-09.tar", {reinterpret_cast<const char*>(bytes.data()), std::size_t(size_bytes)});
    expect_error(ExitCode::kData, "tar file is", [&] { open_source(folder_.path()); });
    expect_error(ExitCode::kData, cut.string() + ", ", [&] { open_source(folder_.path()); });
    expect_error(ExitCode::kData, "offset", [&] { open_source(folder_.path()); });
  }
}

}  // namespace
}  // namespace ganscale::data
