#include "data/formats/file_bytes.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

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

// With no file left to open, the system says that too many are open: others may be closed soon.
TEST(FileBytes, TellAnErrorThatMayPassFromOthers) {
  const TemporaryFolder folder;
  const auto file = folder.write("data", "1234");
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_THROW(FileBytes{file}, TransientReadError);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  EXPECT_EQ(FileBytes{file}.size_bytes(), 4);
  try {
    FileBytes{folder / "missing"};
    ADD_FAILURE() << "expected an error";
  } catch (const TransientReadError&) {
    ADD_FAILURE() << "a missing file does not come back";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("missing"));
  }
}

}  // namespace
}  // namespace ganscale::data
