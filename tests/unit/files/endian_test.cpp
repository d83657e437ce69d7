#include "files/endian.h"

#include <gtest/gtest.h>

#include <array>

namespace ganscale::files {
namespace {

constexpr std::array<std::uint8_t, 8> kBytes = {0x01, 0x82, 0x03, 0x84, 0x05, 0x86, 0x07, 0x88};

TEST(Endian, ReadsBigEndianNumbers) { EXPECT_EQ(big_endian_32(kBytes.data()), 0x01820384u); }

TEST(Endian, ReadsLittleEndianNumbers) {
  EXPECT_EQ(little_endian_16(kBytes.data()), 0x8201u);
  EXPECT_EQ(little_endian_32(kBytes.data()), 0x84038201u);
  EXPECT_EQ(little_endian_64(kBytes.data()), 0x8807860584038201u);
}

}  // namespace
}  // namespace ganscale::files
