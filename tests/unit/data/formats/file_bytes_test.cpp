#include "data/formats/file_bytes.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ganscale::data
