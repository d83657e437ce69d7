#include "data/formats/record_index.h"

#include <chrono>
#include <limits>

#include "data/formats/tfrecord_writer.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

fs::path write_records(const fs::path& file, const std::vector<std::string>& records) {
  TfrecordWriter writer(file);
  for (const std::string& record : records) {
    writer.append({reinterpret_cast<const std::uint8_t*>(record.data()), record.size()});
  }
  writer.close();
  return file;
}

TEST(RecordIndex, ReturnsWhereRecordsBegin) {
  const TemporaryFolder folder;
  const auto file = write_records(folder / "a.tfrecords", {"abc", "", "de"});
  // 16 bytes of frame around each record
  EXPECT_THAT(record_offsets(FileBytes(file)), testing::ElementsAre(0, 19, 35, 53));
}

TEST(RecordIndex, IsKeptNextToTheFileAndReused) {
  const TemporaryFolder folder;
  const auto file = write_records(folder / "a.tfrecords", {"abc", "de"});
  record_offsets(FileBytes(file));
  ASSERT_TRUE(fs::exists(folder / "a.tfrecords.index"));
  // Another index that fits the file by size and time is believed: so it was not walked again.
  write_index(file, {0, 37});
  EXPECT_THAT(record_offsets(FileBytes(file)), testing::ElementsAre(0, 37));
}

TEST(RecordIndex, IsRebuiltWhenTheFileChanges) {
  const TemporaryFolder folder;
  const auto file = write_records(folder / "a.tfrecords", {"abc", "de"});
  record_offsets(FileBytes(file));
  write_records(file, {"abcdefg"});
  EXPECT_THAT(record_offsets(FileBytes(file)), testing::ElementsAre(0, 23));
}

TEST(RecordIndex, IsRebuiltWhenDamaged) {
  const TemporaryFolder folder;
  const auto file = write_records(folder / "a.tfrecords", {"abc", "de"});
  record_offsets(FileBytes(file));
  const auto index = read_file(folder / "a.tfrecords.index");
  for (std::size_t i = 0; i < index.size(); ++i) {
    std::string damaged(index.begin(), index.end());
    damaged[i] ^= 1;
    folder.write("a.tfrecords.index", damaged);
    EXPECT_THAT(record_offsets(FileBytes(file)), testing::ElementsAre(0, 19, 37)) << i;
    folder.write("a.tfrecords.index", damaged.substr(0, i));
    EXPECT_THAT(record_offsets(FileBytes(file)), testing::ElementsAre(0, 19, 37)) << i;
  }
}

TEST(RecordIndex, IsRebuiltUnlessItsRecordsFillTheFile) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  const TemporaryFolder folder;
  const auto file = write_records(folder / "a.tfrecords", {"abc", "de"});
  for (const RecordOffsets& offsets :
       {RecordOffsets{0, 19, 36}, {1, 37}, {0, 38, 37}, {kLeast, 37}, {0, -1, 37}, {0, 0, 37}}) {
    write_index(file, offsets);
    EXPECT_THAT(record_offsets(FileBytes(file)), testing::ElementsAre(0, 19, 37));
  }
}

TEST(RecordIndex, IsInTheCacheFolderIfItsFolderIsReadOnly) {
  const TemporaryFolder folder;
  const TemporaryFolder cache;
  const auto file = write_records(folder / "a.tfrecords", {"abc"});
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  const fs::path index = index_path(file);
  record_offsets(FileBytes(file));
  unsetenv("XDG_CACHE_HOME");
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_EQ(index.parent_path(), cache / "ganscale" / "index");
  EXPECT_TRUE(fs::exists(index));
  EXPECT_FALSE(fs::exists(folder / "a.tfrecords.index"));
}

// Copies of a dataset often have other times than what their index says.
TEST(RecordIndex, OfAnotherTimeInAReadOnlyFolderIsReplacedInTheCacheFolder) {
  const TemporaryFolder folder;
  const TemporaryFolder cache;
  const auto file = write_records(folder / "a.tfrecords", {"abc", "de"});
  record_offsets(FileBytes(file));
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::hours(1));
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  const fs::path index = index_path(file);
  const auto walked = record_offsets(FileBytes(file));
  EXPECT_TRUE(fs::exists(index));
  EXPECT_EQ(index.parent_path(), cache / "ganscale" / "index");
  EXPECT_EQ(record_offsets(FileBytes(file)), walked);
  unsetenv("XDG_CACHE_HOME");
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(RecordIndex, IsDoneWithoutIfTheCacheFolderCannotBeOpened) {
  const TemporaryFolder folder;
  const TemporaryFolder cache;
  const auto file = write_records(folder / "a.tfrecords", {"abc"});
  fs::create_symlink("loop", cache / "loop");
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  setenv("XDG_CACHE_HOME", (cache / "loop").c_str(), 1);
  EXPECT_THAT(record_offsets(FileBytes(file)), testing::ElementsAre(0, 19));
  unsetenv("XDG_CACHE_HOME");
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(RecordIndex, GetsNoMemoryForRecordsThatItDoesNotHave) {
  const TemporaryFolder folder;
  const auto file = write_records(folder / "a.tfrecords", {"abc"});
  fs::resize_file(file, std::uintmax_t{1} << 42);  // a hole
  write_index(file, {0});
  auto index = read_file(folder / "a.tfrecords.index");
  index.at(28) = 64;  // of the number of records: 2^38
  folder.write("a.tfrecords.index", {reinterpret_cast<const char*>(index.data()), index.size()});
  expect_error(ExitCode::kData, "a.tfrecords, record 1, offset 19",
               [&] { record_offsets(FileBytes(file)); });
}

TEST(RecordIndex, IsNotMadeOfAFileThatBecomesShorter) {
  const TemporaryFolder folder;
  const auto file = write_records(folder / "a.tfrecords", {"abc", "def"});
  const FileBytes bytes(file);
  fs::resize_file(file, 19);
  expect_error(ExitCode::kData, "file is too short: " + file.string() + ", offset 19",
               [&] { record_offsets(bytes); });
}

TEST(RecordIndex, RefusesATruncatedFileWithRecordAndOffset) {
  const TemporaryFolder folder;
  const auto whole = read_file(write_records(folder / "a.tfrecords", {"abc", "de"}));
  for (std::size_t length = 20; length < whole.size(); ++length) {
    const auto file =
        folder.write("b.tfrecords", {reinterpret_cast<const char*>(whole.data()), length});
    expect_error(ExitCode::kData, "file is truncated: " + file.string() + ", record 1, offset 19",
                 [&] { record_offsets(FileBytes(file)); });
  }
}

TEST(RecordIndex, RefusesADamagedLengthWithRecordAndOffset) {
  const TemporaryFolder folder;
  const auto whole = read_file(write_records(folder / "a.tfrecords", {"abc", "de"}));
  std::string damaged(whole.begin(), whole.end());
  damaged[19] ^= 1;
  const auto file = folder.write("b.tfrecords", damaged);
  expect_error(ExitCode::kData, "b.tfrecords, record 1, offset 19",
               [&] { record_offsets(FileBytes(file)); });
}

}  // namespace
}  // namespace ganscale::data
