#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/target.h"

namespace ganscale::fuzz {
namespace {

std::vector<std::uint8_t> bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Small real files, and what fuzzing found.
TEST(Corpus, IsTakenOrRefused) {
  for (const Target& target : targets()) {
    const auto folder = std::filesystem::path(CORPUS) / target.name;
    ASSERT_TRUE(std::filesystem::is_directory(folder)) << folder;
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      SCOPED_TRACE(entry.path());
      const auto bytes = bytes_of(entry.path());
      EXPECT_NO_THROW(target.run(bytes));
      // Cut off anywhere.
      for (std::size_t i = 0; i < 8; ++i)
        EXPECT_NO_THROW(target.run(Bytes(bytes).first(bytes.size() * i / 8))) << i;
      ++count;
    }
    EXPECT_GT(count, 0) << folder;
  }
}

}  // namespace
}  // namespace ganscale::fuzz
