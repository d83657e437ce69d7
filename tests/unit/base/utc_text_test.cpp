#include "base/utc_text.h"

#include <gtest/gtest.h>

namespace ganscale {
namespace {

TEST(UtcText, ShowsTheSecondInAnyTimeZone) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(951'868'799), "2000-02-29T23:59:59Z");
  EXPECT_EQ(utc_text(951'868'799, "%Y-%m-%d"), "2000-02-29");
}

}  // namespace
}  // namespace ganscale
