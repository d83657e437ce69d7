#include "data/formats/gunzip.h"

#include <gtest/gtest.h>

#include <string>

#include "data/formats/file_bytes.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/data/deflated.h"

namespace ganscale::data {
namespace {

std::string gzip(const std::string& text) {
  constexpr int kGzipHeader = 16;
  return deflated(text, MAX_WBITS + kGzipHeader);
}

/// A text of this many bytes that does not repeat itself soon.
std::string text_of(std::size_t bytes) {
  std::string text;
  for (std::uint64_t word = 1; text.size() < bytes; word = word * 6364136223846793005 + 1)
    text += std::to_string(word);
  text.resize(bytes);
  return text;
}

std::string unpacked(const std::string& packed) {
  const TemporaryFolder folder;
  const auto content = read_file(folder.write("file.gz", packed));
  return {content.begin(), content.end()};
}

TEST(Gunzip, UnpacksMoreThanAChunkAndEveryMember) {
  const std::string large = text_of((5 << 20) + 7);
  EXPECT_TRUE(unpacked(gzip(large)) == large);
  EXPECT_EQ(unpacked(gzip("one, ") + gzip("") + gzip("two")), "one, two");
}

TEST(Gunzip, IgnoresOtherBytesAfterTheLastMember) {
  EXPECT_EQ(unpacked(gzip("text") + std::string(512, '\0')), "text");
}

TEST(Gunzip, RefusesDamageWithTheFile) {
  const std::string packed = gzip(text_of(100'000));
  for (const std::size_t kept : {std::size_t{3}, packed.size() / 2, packed.size() - 1}) {
    expect_error(ExitCode::kData, "gzip file is damaged (unexpected end of file): ", [&] {
      unpacked(packed.substr(0, kept));
    });
  }
  std::string changed = packed;
  changed[changed.size() - 8] =
      static_cast<char>(changed[changed.size() - 8] ^ 1);  // of the CRC-32
  expect_error(ExitCode::kData, "file.gz, offset 100000 unpacked", [&] { unpacked(changed); });
}

}  // namespace
}  // namespace ganscale::data
