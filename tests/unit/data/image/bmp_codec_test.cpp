#include "data/image/bmp_codec.h"

#include "support/expect_error.h"
#include "unit/data/encoded.h"

namespace ganscale::data {
namespace {

using Pixels = std::vector<std::uint8_t>;

Image decoded_bmp(const std::string& bytes) {
  return decode_bmp({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

/// Little-endian words of `count` bytes.
std::string words(const std::vector<std::uint32_t>& numbers, int count) {
  std::string bytes;
  for (const std::uint32_t number : numbers) append_little_endian(bytes, number, count);
  return bytes;
}

TEST(Bmp, StoresRowsInEitherOrderAndPadsThem) {
  BmpFile file{.width = 1, .height = 2};
  file.pixels = words({0x00010203, 0x00040506}, 4);  // blue in the lowest byte; a byte of padding
  EXPECT_EQ(decoded_bmp(file.encoded()).hwc, (Pixels{4, 5, 6, 1, 2, 3}));
  file.height = -2;
  EXPECT_EQ(decoded_bmp(file.encoded()).hwc, (Pixels{1, 2, 3, 4, 5, 6}));
}

TEST(Bmp, TakesItsColorsFromThePalette) {
  const std::string palette = words({0x112233, 0x445566}, 4);
  BmpFile file{.width = 9, .height = 1, .bits = 1, .colors_used = 2, .after_sizes = palette};
  file.pixels = std::string("\x40\x80\0\0", 4);  // pixels 1 and 8 have color 1
  Pixels expected;
  for (int x = 0; x < 9; ++x) {
    const Pixels color = x == 1 || x == 8 ? Pixels{0x44, 0x55, 0x66} : Pixels{0x11, 0x22, 0x33};
    expected.insert(expected.end(), color.begin(), color.end());
  }
  EXPECT_EQ(decoded_bmp(file.encoded()).hwc, expected);

  file.width = 3;
  file.bits = 4;
  file.pixels = std::string("\x01\x10\0\0", 4);
  const Pixels three = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x44, 0x55, 0x66};
  EXPECT_EQ(decoded_bmp(file.encoded()).hwc, three);
  file.bits = 8;
  file.pixels = std::string("\0\1\1\0", 4);
  EXPECT_EQ(decoded_bmp(file.encoded()).hwc, three);
}

TEST(Bmp, MayHaveTheHeaderOfOs2) {
  std::string bytes = "BM";
  append_little_endian(bytes, 0, 8);
  append_little_endian(bytes, 14 + 12 + 6, 4);
  append_little_endian(bytes, 12, 4);
  bytes += words({2, 1, 1, 1}, 2);  // width, height, planes, bits
  bytes += "\x01\x02\x03\x04\x05\x06";
  bytes += std::string("\x40\0\0\0", 4);
  EXPECT_EQ(decoded_bmp(bytes).hwc, (Pixels{3, 2, 1, 6, 5, 4}));
}

TEST(Bmp, ScalesChannelsToTheirFullRange) {
  BmpFile file{.width = 2, .height = 1, .bits = 16};
  file.pixels = words({0x7fff, 0x4210}, 2);  // five bits each: 31, 31, 31; 16, 16, 16
  EXPECT_EQ(decoded_bmp(file.encoded()).hwc, (Pixels{255, 255, 255, 132, 132, 132}));
  file.compression = 3;
  file.after_sizes = words({0xf800, 0x07e0, 0x001f}, 4);
  file.pixels = words({0xffff, 0x0400}, 2);  // 32 of 63
  EXPECT_EQ(decoded_bmp(file.encoded()).hwc, (Pixels{255, 255, 255, 0, 130, 0}));
}

TEST(Bmp, HasAlphaOnlyWithAMaskForIt) {
  BmpFile file{.width = 1, .height = 1, .bits = 32, .pixels = words({0x80102030}, 4)};
  EXPECT_EQ(decoded_bmp(file.encoded()).hwc, (Pixels{0x10, 0x20, 0x30}));
  file.compression = 3;
  file.header_bytes = 108;
  file.after_sizes = words({0xff0000, 0xff00, 0xff, 0xff000000}, 4);
  const Image image = decoded_bmp(file.encoded());
  EXPECT_EQ(image.channels, 4);
  EXPECT_EQ(image.hwc, (Pixels{0x10, 0x20, 0x30, 0x80}));
}

TEST(Bmp, IsRefusedWithAReason) {
  const auto refused = [](const std::string& why, const BmpFile& file) {
    expect_error(ExitCode::kData, why, [&] { decoded_bmp(file.encoded()); });
  };
  const BmpFile sound{.width = 1, .height = 1, .pixels = std::string(4, '\0')};
  BmpFile file = sound;
  file.width = 0;
  refused("BMP is damaged: its size is 0x1", file);
  file.width = -1;
  refused("BMP is damaged: its size is -1x1", file);
  file.width = 1 << 30;
  refused("BMP is too large", file);
  file.width = 16384;
  file.height = 16384;  // 768 MiB, which the file does not have
  refused("BMP is damaged: ends too early", file);
  file = sound;
  file.height = INT32_MIN;
  refused("BMP is too large: 1x2147483648", file);
  file = sound;
  file.bits = 5;
  refused("BMP is damaged: has 5 bits per pixel", file);
  file.bits = 8;
  file.compression = 1;
  refused("BMP is compressed", file);
  file.compression = 0;
  refused("BMP is damaged: color not in its palette", file);
  file = sound;
  file.bits = 32;
  file.compression = 3;
  file.after_sizes = words({0xff00ff, 0xff00, 0xff}, 4);
  refused("BMP is damaged: the mask of a channel has gaps", file);
  file = sound;
  file.header_bytes = 40;
  std::string bytes = file.encoded();
  bytes[14] = 16;
  expect_error(ExitCode::kData, "BMP is damaged: its header has 16 bytes",
               [&] { decoded_bmp(bytes); });
}

}  // namespace
}  // namespace ganscale::data
