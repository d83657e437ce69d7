#include "files/sha256.h"

#include <gtest/gtest.h>

#include <string_view>

namespace ganscale::files {
namespace {

std::string digest(std::initializer_list<std::string_view> parts) {
  Sha256 sha256;
  for (const auto part : parts) sha256.update(std::as_bytes(std::span(part)));
  return sha256.finish();
}

// The examples of FIPS 180-2, Appendix B, and the empty message.
TEST(Sha256, MatchesTheStandard) {
  EXPECT_EQ(digest({"abc"}), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest({"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"}),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, DoesNotDependOnTheParts) {
  EXPECT_EQ(digest({"a", "", "bc"}), digest({"abc"}));
  EXPECT_NE(digest({"ab"}), digest({"abc"}));
}

}  // namespace
}  // namespace ganscale::files
