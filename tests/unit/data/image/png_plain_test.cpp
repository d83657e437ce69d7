#include "data/image/png_plain.h"

#include <gtest/gtest.h>
#include <png.h>
#include <zlib.h>

#include <random>
#include <string>
#include <vector>

namespace ganscale::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

void append_big_endian(Bytes& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<std::uint8_t>(number >> shift));
  }
}

void append_chunk(Bytes& png, const std::string& type, const Bytes& data) {
  append_big_endian(png, static_cast<std::uint32_t>(data.size()));
  const std::size_t checked = png.size();
  png.insert(png.end(), type.begin(), type.end());
  png.insert(png.end(), data.begin(), data.end());
  append_big_endian(
      png, static_cast<std::uint32_t>(crc32(0, png.data() + checked, png.size() - checked)));
}

/// A PNG of random filtered bytes, so that each filter meets all values; row y has filter y mod 5.
struct RandomPng {
  int channels = 3;
  int width = 7;
  int height = 11;
  int bit_depth = 8;
  int first_filter = 0;
  std::size_t packed_bytes_a_chunk = 40;
  Bytes before_pixels = {};  ///< chunks between the header and the pixels

  Bytes filtered() const {
    std::mt19937 random(static_cast<unsigned>(channels * 1000 + width));
    Bytes rows;
    for (int y = 0; y < height; ++y) {
      rows.push_back(static_cast<std::uint8_t>(first_filter + y % 5));
      for (int i = 0; i < width * channels * bit_depth / 8; ++i) {
        rows.push_back(static_cast<std::uint8_t>(random()));
      }
    }
    return rows;
  }

  Bytes encoded() const {
    constexpr std::uint8_t kColorTypes[] = {0, 4, 2, 6};
    Bytes png = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    Bytes header;
    append_big_endian(header, static_cast<std::uint32_t>(width));
    append_big_endian(header, static_cast<std::uint32_t>(height));
    header.insert(header.end(),
                  {static_cast<std::uint8_t>(bit_depth), kColorTypes[channels - 1], 0, 0, 0});
    append_chunk(png, "IHDR", header);
    png.insert(png.end(), before_pixels.begin(), before_pixels.end());
    const Bytes rows = filtered();
    Bytes packed(compressBound(rows.size()));
    uLongf size = packed.size();
    compress2(packed.data(), &size, rows.data(), rows.size(), 6);
    packed.resize(size);
    for (std::size_t at = 0; at < size; at += packed_bytes_a_chunk) {
      const auto end = std::min<std::size_t>(size, at + packed_bytes_a_chunk);
      append_chunk(
          png, "IDAT",
          {packed.begin() + static_cast<long>(at), packed.begin() + static_cast<long>(end)});
    }
    append_chunk(png, "IEND", {});
    return png;
  }
};

Bytes decoded_by_libpng(const Bytes& png, int channels) {
  constexpr png_uint_32 kFormats[] = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                                      PNG_FORMAT_RGBA};
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, png.data(), png.size()), 0);
  image.format = kFormats[channels - 1];
  Bytes pixels(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0) << image.message;
  return pixels;
}

TEST(PlainPng, IsDecodedAsLibpngDoes) {
  for (int channels = 1; channels <= 4; ++channels) {
    for (const int width : {1, 2, 7, 64, 255}) {
      const RandomPng made{.channels = channels, .width = width};
      const auto png = made.encoded();
      const auto image = decode_plain_png(png);
      ASSERT_TRUE(image.has_value());
      EXPECT_EQ(image->channels, channels);
      EXPECT_EQ(image->width, width);
      EXPECT_EQ(image->height, 11);
      EXPECT_EQ(image->hwc, decoded_by_libpng(png, channels)) << channels << " " << width;
    }
  }
}

TEST(PlainPng, MayComeInOneChunk) {
  const auto png = RandomPng{.packed_bytes_a_chunk = 1 << 20}.encoded();
  const auto image = decode_plain_png(png);
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ(image->hwc, decoded_by_libpng(png, 3));
}

TEST(PlainPng, LeavesWhatIsNotPlainToLibpng) {
  EXPECT_FALSE(decode_plain_png(RandomPng{.bit_depth = 16}.encoded()));
  Bytes transparency;
  append_chunk(transparency, "tRNS", {0, 1, 0, 2, 0, 3});
  EXPECT_FALSE(decode_plain_png(RandomPng{.before_pixels = transparency}.encoded()));
  Bytes palette;
  append_chunk(palette, "PLTE", {1, 2, 3});
  EXPECT_FALSE(decode_plain_png(RandomPng{.before_pixels = palette}.encoded()));
  EXPECT_FALSE(decode_plain_png(Bytes{}));
}

TEST(PlainPng, SkipsChunksThatDoNotTouchThePixels) {
  Bytes text;
  append_chunk(text, "tEXt", {'k', 0, 'v'});
  EXPECT_TRUE(decode_plain_png(RandomPng{.before_pixels = text}.encoded()));
}

TEST(PlainPng, IsRefusedWhereverItWasCutShort) {
  const auto png = RandomPng{}.encoded();
  for (std::size_t size = 0; size < png.size(); ++size) {
    EXPECT_FALSE(decode_plain_png(std::span(png).first(size))) << size;
  }
}

TEST(PlainPng, IsRefusedWithAnyByteFlipped) {
  const auto png = RandomPng{}.encoded();
  for (std::size_t i = 0; i < png.size(); ++i) {
    Bytes damaged = png;
    damaged[i] ^= 0x10;
    EXPECT_FALSE(decode_plain_png(damaged)) << i;
  }
}

TEST(PlainPng, IsRefusedWithAnUnknownFilter) {
  EXPECT_FALSE(decode_plain_png(RandomPng{.first_filter = 1}.encoded()));
}

// The header states a wrong height: too few rows, and too many.
TEST(PlainPng, IsRefusedWithAnotherNumberOfRows) {
  for (const std::uint8_t height : {10, 12}) {
    auto png = RandomPng{}.encoded();
    constexpr std::size_t kHeaderChunk = 8;
    png[kHeaderChunk + 15] = height;
    const auto crc = static_cast<std::uint32_t>(crc32(0, png.data() + kHeaderChunk + 4, 17));
    Bytes checksum;
    append_big_endian(checksum, crc);
    std::copy(checksum.begin(), checksum.end(), png.begin() + kHeaderChunk + 21);
    EXPECT_FALSE(decode_plain_png(png)) << static_cast<int>(height);
  }
}

}  // namespace
}  // namespace ganscale::data
