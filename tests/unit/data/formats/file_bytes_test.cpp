#include "data/formats/file_bytes.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

TEST(FileBytes, TakesAFileForGzipOnlyByAllThreeBytesOfItsMark) {
  const TemporaryFolder folder;
  const auto file = folder.write("plain", "\x1f\x8b\x09 plain");
  const FileBytes bytes(file);
  EXPECT_FALSE(bytes.unpacked());
  EXPECT_EQ(bytes.size_bytes(), 9);
}

TEST(FileBytes, WarnsOnceWhenTheFileIsWrittenTo) {
  const TemporaryFolder folder;
  const auto file = folder.write("data", "1234");
  const FileBytes bytes(file);
  std::vector<std::uint8_t> buffer;
  const auto warnings_of_reads = [&] {
    testing::internal::CaptureStderr();
    bytes.read(0, 4, buffer);
    bytes.read(0, 4, buffer);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warnings_of_reads(), "");
  std::filesystem::last_write_time(
      file, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(1));
  const std::string warnings = warnings_of_reads();
  EXPECT_THAT(warnings, testing::HasSubstr("was written to"));
  EXPECT_THAT(warnings, testing::HasSubstr(file.string()));
  EXPECT_EQ(std::ranges::count(warnings, '\n'), 1);
  EXPECT_EQ(warnings_of_reads(), "");
}

TEST(FileBytes, WarnsWhenTheFileHasGrown) {
  const TemporaryFolder folder;
  const auto file = folder.write("data", "1234");
  const auto written = std::filesystem::last_write_time(file);
  const FileBytes bytes(file);
  std::filesystem::resize_file(file, 8);
  std::filesystem::last_write_time(file, written);
  testing::internal::CaptureStderr();
  std::vector<std::uint8_t> buffer;
  bytes.read(0, 4, buffer);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("was written to"));
}

/// Returns the error of opening a file; fails the test if it is of another type.
template <class Expected>
std::string error_of(const std::filesystem::path& file) {
  try {
    FileBytes{file};
  } catch (const Expected& error) {
    return error.what();
  }
  ADD_FAILURE() << "expected an error: " << file;
  return "";
}

// With no file left to open, the system says that too many are open: others may be closed soon.
TEST(FileBytes, DistinguishTransientErrors) {
  const TemporaryFolder folder;
  const auto file = folder.write("data", "1234");
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::string error = error_of<TransientReadError>(file);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  EXPECT_THAT(error, testing::HasSubstr("raise the limit of open files (ulimit -n)"));
  EXPECT_EQ(FileBytes{file}.size_bytes(), 4);
}

TEST(FileBytes, DistinguishFailuresOfTheStorageFromMissingFiles) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("loop", folder / "loop");  // an error that root gets, too
  EXPECT_THAT(error_of<StorageError>(folder / "loop"), testing::HasSubstr("loop"));
  try {
    FileBytes{folder / "missing"};
    ADD_FAILURE() << "expected an error";
  } catch (const StorageError&) {
    ADD_FAILURE() << "the storage works";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("missing"));
  }
}

}  // namespace
}  // namespace ganscale::data
