#include "base/utf8.h"

#include <gtest/gtest.h>

namespace ganscale {
namespace {

TEST(ValidUtf8, ReplacesNothingElse) {
  EXPECT_EQ(valid_utf8("häh \"\\\n\x1b"), "häh \"\\\n\x1b");
  EXPECT_EQ(valid_utf8(std::string("a\xFF") + "b"), "a\uFFFDb");
  EXPECT_EQ(valid_utf8(""), "");
}

TEST(InLowerCase, ChangesOnlyLettersOfAscii) {
  EXPECT_EQ(in_lower_case("Image/PNG-\xc3\x84"), "image/png-\xc3\x84");
}

}  // namespace
}  // namespace ganscale
