#include "base/utf8.h"

#include <gtest/gtest.h>

namespace ganscale {
namespace {

TEST(ValidUtf8, ReplacesNothingElse) {
  EXPECT_EQ(valid_utf8("häh \"\\\n\x1b"), "häh \"\\\n\x1b");
  EXPECT_EQ(valid_utf8(std::string("a\xFF") + "b"), "a\uFFFDb");
  EXPECT_EQ(valid_utf8(""), "");
}

}  // namespace
}  // namespace ganscale
