#include "files/hex.h"

#include <gtest/gtest.h>

namespace ganscale::files {
namespace {

TEST(Hex, WritesTwoLowercaseDigitsForEachByte) {
  EXPECT_EQ(hex(std::string_view("\x00\x7f\xff\x1a", 4)), "007fff1a");
  EXPECT_EQ(hex(std::string_view()), "");
}

TEST(Hex, WritesANumberAsSixteenDigits) {
  EXPECT_EQ(hex(std::uint64_t{0xcbf29ce484222325}), "cbf29ce484222325");
  EXPECT_EQ(hex(std::uint64_t{1}), "0000000000000001");
}

}  // namespace
}  // namespace ganscale::files
