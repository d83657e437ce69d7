#include "data/image/tiff_codec.h"

#include "support/expect_error.h"
#include "unit/data/encoded.h"

namespace ganscale::data {
namespace {

using Pixels = std::vector<std::uint8_t>;

Image decoded_tiff(const std::string& bytes) {
  return decode_tiff({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

Image decoded_tiff(const TiffFile& file) { return decoded_tiff(file.encoded()); }

TEST(Tiff, IsReadWithAndWithoutCompression) {
  for (const std::uint16_t compression :
       {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS}) {
    const Pixels rows = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const Image image =
        decoded_tiff(TiffFile{.width = 2, .height = 2, .compression = compression, .rows = rows});
    EXPECT_EQ(image.channels, 3);
    EXPECT_EQ(image.hwc, rows) << compression;
  }
}

TEST(Tiff, MayBeGray) {
  TiffFile file{.width = 2,
                .height = 1,
                .samples = 1,
                .photometric = PHOTOMETRIC_MINISBLACK,
                .rows = {7, 200}};
  EXPECT_EQ(decoded_tiff(file).channels, 1);
  EXPECT_EQ(decoded_tiff(file).hwc, (Pixels{7, 200}));
  file.photometric = PHOTOMETRIC_MINISWHITE;
  EXPECT_EQ(decoded_tiff(file).hwc, (Pixels{248, 55}));
  file.bits = 1;
  file.rows = {0x40};
  EXPECT_EQ(decoded_tiff(file).hwc, (Pixels{255, 0}));
}

TEST(Tiff, MayHave16Bits) {
  // 257 x 100 and 257 x 200, low byte first.
  const TiffFile file{.width = 2,
                      .height = 1,
                      .samples = 1,
                      .bits = 16,
                      .photometric = PHOTOMETRIC_MINISBLACK,
                      .rows = {100, 100, 200, 200}};
  EXPECT_EQ(decoded_tiff(file).hwc, (Pixels{100, 200}));
}

TEST(Tiff, MayBeInCmyk) {
  const TiffFile file{.width = 1,
                      .height = 1,
                      .samples = 4,
                      .photometric = PHOTOMETRIC_SEPARATED,
                      .rows = {0, 55, 255, 55}};
  const Image image = decoded_tiff(file);
  ASSERT_EQ(image.channels, 3);
  EXPECT_NEAR(image.hwc[0], 200, 1);  // 255 x 200 / 255
  EXPECT_NEAR(image.hwc[1], 157, 1);  // 200 x 200 / 255
  EXPECT_EQ(image.hwc[2], 0);
}

TEST(Tiff, KeepsAlphaAndItsColorsNotMultiplied) {
  TiffFile file{.width = 2, .height = 1, .samples = 4, .extra_sample = EXTRASAMPLE_ASSOCALPHA};
  file.rows = {50, 100, 0, 128, 0, 0, 0, 0};
  EXPECT_EQ(decoded_tiff(file).hwc, (Pixels{100, 199, 0, 128, 0, 0, 0, 0}));
  file.extra_sample = EXTRASAMPLE_UNASSALPHA;
  file.rows = {10, 20, 30, 255, 200, 100, 0, 128};
  const Image image = decoded_tiff(file);
  ASSERT_EQ(image.hwc.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(image.hwc[i], file.rows[i], 1) << i;
  file.extra_sample = EXTRASAMPLE_UNSPECIFIED;
  EXPECT_EQ(decoded_tiff(file).hwc, (Pixels{10, 20, 30, 200, 100, 0}));
}

TEST(Tiff, MayBeGrayWithAlpha) {
  TiffFile file{.width = 1,
                .height = 1,
                .samples = 2,
                .photometric = PHOTOMETRIC_MINISBLACK,
                .extra_sample = EXTRASAMPLE_UNASSALPHA,
                .rows = {100, 50}};
  EXPECT_EQ(decoded_tiff(file).channels, 2);
  EXPECT_EQ(decoded_tiff(file).hwc, (Pixels{100, 50}));
  file.extra_sample = EXTRASAMPLE_ASSOCALPHA;
  file.rows = {25, 50};
  EXPECT_EQ(decoded_tiff(file).hwc, (Pixels{128, 50}));
}

TEST(Tiff, ShowsTheFirstOfSeveralPages) {
  const TiffFile file{.width = 1, .height = 1, .rows = {1, 2, 3}, .pages = 2};
  const Image image = decoded_tiff(file);
  EXPECT_EQ(image.hwc, (Pixels{1, 2, 3}));
  EXPECT_TRUE(image.has_more_frames);
}

TEST(Tiff, IsReadAsStoredWhateverItsOrientation) {
  const TiffFile file{
      .width = 2, .height = 1, .orientation = ORIENTATION_BOTRIGHT, .rows = {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(decoded_tiff(file).hwc, file.rows);
}

TEST(Tiff, IsRefusedWithSamplesThatAreNotColors) {
  const TiffFile floats{.width = 1,
                        .height = 1,
                        .samples = 1,
                        .bits = 32,
                        .photometric = PHOTOMETRIC_MINISBLACK,
                        .format = SAMPLEFORMAT_IEEEFP,
                        .rows = {0, 0, 0, 0}};
  expect_error(ExitCode::kData, "TIFF is not supported: its samples are not unsigned integers",
               [&] { decoded_tiff(floats); });
  TiffFile deep = floats;
  deep.format = SAMPLEFORMAT_UINT;
  expect_error(ExitCode::kData, "TIFF is not supported: ", [&] { decoded_tiff(deep); });
  const TiffFile gray{.width = 1,
                      .height = 1,
                      .samples = 2,
                      .bits = 16,
                      .photometric = PHOTOMETRIC_MINISBLACK,
                      .extra_sample = EXTRASAMPLE_UNASSALPHA,
                      .rows = {1, 1, 2, 2}};
  expect_error(ExitCode::kData, "TIFF is not supported: transparency", [&] { decoded_tiff(gray); });
}

TEST(Tiff, IsRefusedInCmykOf16Bits) {
  const TiffFile file{.width = 1,
                      .height = 1,
                      .samples = 4,
                      .bits = 16,
                      .photometric = PHOTOMETRIC_SEPARATED,
                      .rows = {0, 0, 1, 1, 2, 2, 3, 3}};
  expect_error(ExitCode::kData, "TIFF is not supported: ", [&] { decoded_tiff(file); });
}

/// Changes the 32-bit value of a tag in the only directory of a little-endian file.
std::string with_tag(std::string bytes, std::uint16_t tag, std::uint32_t value) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  const std::size_t directory = byte(4) + 256U * byte(5);
  const std::size_t count = byte(directory);
  for (std::size_t entry = directory + 2; entry < directory + 2 + 12 * count; entry += 12) {
    if (byte(entry) + 256 * byte(entry + 1) != tag) continue;
    bytes[entry + 2] = 4;  // LONG
    for (std::size_t i = 0; i < 4; ++i) bytes[entry + 8 + i] = static_cast<char>(value >> (8 * i));
  }
  return bytes;
}

TEST(Tiff, IsRefusedWithASizeThatItCannotHave) {
  const std::string sound = TiffFile{.width = 2, .height = 1, .rows = Pixels(6)}.encoded();
  ASSERT_EQ(decoded_tiff(sound).width, 2);
  const auto refused = [&](const std::string& why, std::uint16_t tag, std::uint32_t value) {
    SCOPED_TRACE(tag);
    expect_error(ExitCode::kData, why, [&] { decoded_tiff(with_tag(sound, tag, value)); });
  };
  refused("TIFF is too large: 1000000x1", TIFFTAG_IMAGEWIDTH, 1000000);
  refused("TIFF is ", TIFFTAG_IMAGEWIDTH, 0);
  refused("TIFF is ", TIFFTAG_IMAGELENGTH, 0xffffffff);
  refused("TIFF is damaged: ", TIFFTAG_IMAGEWIDTH, 16384);  // more than the file has
  refused("TIFF is ", TIFFTAG_SAMPLESPERPIXEL, 65535);
  refused("TIFF is ", TIFFTAG_BITSPERSAMPLE, 0);
  refused("TIFF is damaged: ", TIFFTAG_STRIPOFFSETS, 0xfffffff0);
}

}  // namespace
}  // namespace ganscale::data
