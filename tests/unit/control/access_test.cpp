#include "control/access.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ganscale::control {
namespace {

TEST(Access, TakesOnlyTheWholeToken) {
  EXPECT_TRUE(bears_token("Bearer s3cret", "s3cret"));
  EXPECT_TRUE(bears_token("Bearer  s3cret ", "s3cret"));
  for (const char* wrong : {"", "s3cret", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3cret1",
                            "Bearer S3cret", "Basic s3cret", "bearer s3cret"}) {
    EXPECT_FALSE(bears_token(wrong, "s3cret")) << wrong;
  }
}

TEST(Access, RefusesAnEmptyToken) { EXPECT_FALSE(bears_token("Bearer ", "")); }

TEST(Access, RecognizesLoopbackAddresses) {
  for (const char* address : {"127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_loopback(address)) << address;
  }
  for (const char* address : {"", "10.0.0.1", "1.127.0.0", "::ffff:10.0.0.1", "::12", "fe80::1"}) {
    EXPECT_FALSE(is_loopback(address)) << address;
  }
}

TEST(Access, RereadsTheFileEachTime) {
  const auto file =
      std::filesystem::temp_directory_path() / ("ganscale-access-" + std::to_string(::getpid()));
  std::ofstream(file) << "first\n";
  EXPECT_EQ(read_access(file).token, "first");
  std::ofstream(file) << " second ";
  EXPECT_EQ(read_access(file).token, "second");
  std::filesystem::remove(file);
  EXPECT_TRUE(read_access(file).needs_token);
  EXPECT_EQ(read_access(file).token, "");
}

TEST(Access, NeedsNoTokenWithoutAFile) { EXPECT_FALSE(read_access("").needs_token); }

}  // namespace
}  // namespace ganscale::control
