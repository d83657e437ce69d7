#include "data/image/png_codec.h"

#include <png.h>

#include "support/expect_error.h"
#include "unit/data/encoded.h"

namespace ganscale::data {
namespace {

using Pixels = std::vector<std::uint8_t>;

/// What libpng writes into a PNG.
struct PngFile {
  png_uint_32 width = 0;
  png_uint_32 height = 1;
  int bits = 8;
  int color_type = PNG_COLOR_TYPE_GRAY;
  std::vector<png_color> palette = {};
  Pixels palette_alpha = {};
  std::optional<png_color_16> transparent = {};
  bool is_animated = false;
  Pixels rows = {};  ///< 16-bit samples with their high byte first

  std::string encoded() {
    std::string bytes;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    const auto append = [](png_structp to, png_bytep from, png_size_t count) {
      static_cast<std::string*>(png_get_io_ptr(to))
          ->append(reinterpret_cast<const char*>(from), count);
    };
    png_set_write_fn(png, &bytes, append, nullptr);
    png_set_IHDR(png, info, width, height, bits, color_type, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    set_colors(png, info);
    if (is_animated) {
      png_unknown_chunk chunk = {"acTL", nullptr, 8, PNG_HAVE_IHDR};
      Pixels frames_and_plays = {0, 0, 0, 2, 0, 0, 0, 0};
      chunk.data = frames_and_plays.data();
      png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS, nullptr, 0);
      png_set_unknown_chunks(png, info, &chunk, 1);
    }
    png_write_info(png, info);
    for (png_uint_32 y = 0; y < height; ++y) {
      png_write_row(png, rows.data() + y * (rows.size() / height));
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return bytes;
  }

 private:
  void set_colors(png_structp png, png_infop info) const {
    if (!palette.empty()) {
      png_set_PLTE(png, info, palette.data(), static_cast<int>(palette.size()));
    }
    if (!palette_alpha.empty() || transparent) {
      png_set_tRNS(png, info, palette_alpha.data(), static_cast<int>(palette_alpha.size()),
                   transparent ? &*transparent : nullptr);
    }
  }
};

Image decoded_png(const std::string& bytes) {
  return decode_png({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

// v / 257: 0, 0.498, 0.502, 1.988, 127.502, 255
TEST(Png, Rounds16BitsTo8) {
  PngFile file{.width = 6, .bits = 16};
  file.rows = {0, 0, 0, 128, 0, 129, 0x01, 0xff, 0x80, 0, 0xff, 0xff};
  const Image image = decoded_png(file.encoded());
  EXPECT_EQ(image.channels, 1);
  EXPECT_EQ(image.hwc, (Pixels{0, 0, 1, 2, 128, 255}));

  file = {.width = 1, .bits = 16, .color_type = PNG_COLOR_TYPE_RGB_ALPHA};
  file.rows = {0, 129, 0xff, 0xff, 0x80, 0, 0, 0};
  EXPECT_EQ(decoded_png(file.encoded()).hwc, (Pixels{1, 255, 128, 0}));
}

TEST(Png, WithFewerBitsCoversTheFullRange) {
  PngFile file{.width = 2, .bits = 4, .rows = {0x1f}};
  EXPECT_EQ(decoded_png(file.encoded()).hwc, (Pixels{17, 255}));
  file.bits = 1;
  file.rows = {0x40};
  EXPECT_EQ(decoded_png(file.encoded()).hwc, (Pixels{0, 255}));
}

TEST(Png, TakesItsColorsFromThePalette) {
  PngFile file{.width = 3, .color_type = PNG_COLOR_TYPE_PALETTE};
  file.palette = {{1, 2, 3}, {4, 5, 6}};
  file.rows = {1, 0, 1};
  EXPECT_EQ(decoded_png(file.encoded()).hwc, (Pixels{4, 5, 6, 1, 2, 3, 4, 5, 6}));
  file.palette_alpha = {128};
  const Image image = decoded_png(file.encoded());
  EXPECT_EQ(image.channels, 4);
  EXPECT_EQ(image.hwc, (Pixels{4, 5, 6, 255, 1, 2, 3, 128, 4, 5, 6, 255}));
}

TEST(Png, MayBeGrayWithAlphaOrWithATransparentLevel) {
  PngFile file{.width = 2, .color_type = PNG_COLOR_TYPE_GRAY_ALPHA, .rows = {7, 100, 9, 0}};
  EXPECT_EQ(decoded_png(file.encoded()).channels, 2);
  EXPECT_EQ(decoded_png(file.encoded()).hwc, file.rows);
  file = {.width = 2, .rows = {7, 9}};
  file.transparent = png_color_16{.index = 0, .red = 0, .green = 0, .blue = 0, .gray = 9};
  EXPECT_EQ(decoded_png(file.encoded()).hwc, (Pixels{7, 255, 9, 0}));
}

TEST(Png, RecognizesAnAnimation) {
  PngFile file{.width = 2, .is_animated = true, .rows = {7, 9}};
  EXPECT_TRUE(decoded_png(file.encoded()).has_more_frames);
  file.bits = 16;  // libpng's, not decode_plain_png()'s
  file.rows = {7, 7, 9, 9};
  const Image image = decoded_png(file.encoded());
  EXPECT_TRUE(image.has_more_frames);
  EXPECT_EQ(image.hwc, (Pixels{7, 9}));
  file.is_animated = false;
  EXPECT_FALSE(decoded_png(file.encoded()).has_more_frames);
}

TEST(Png, IsRefusedWithDamagedTransparency) {
  PngFile file{.width = 2, .color_type = PNG_COLOR_TYPE_PALETTE};
  file.palette = {{1, 2, 3}, {4, 5, 6}};
  file.palette_alpha = {128};
  file.rows = {0, 1};
  const std::string sound = file.encoded();
  constexpr std::size_t kTypeBytes = 4;
  constexpr std::size_t kDataAndChecksumBytes = 5;
  for (std::size_t i = 0; i < kDataAndChecksumBytes; ++i) {
    std::string png = sound;
    png[png.find("tRNS") + kTypeBytes + i] ^= 1;
    expect_error(ExitCode::kData, "PNG is damaged: tRNS: CRC error", [&] { decoded_png(png); });
  }
}

// As libpng and other programs read it.
TEST(Png, LeavesOutTransparencyBesideAnAlphaChannel) {
  PngFile file{.width = 1, .color_type = PNG_COLOR_TYPE_GRAY_ALPHA, .rows = {9, 100}};
  std::string png = file.encoded();
  const std::string level_9("\0\0\0\2tRNS\0\x09\x0f\x4f\x75\x9c", 14);
  png.insert(png.find("IDAT") - 4, level_9);
  EXPECT_EQ(decoded_png(png).hwc, file.rows);
}

TEST(Png, IsRefusedWhenItIsTooLarge) {
  PngFile file{.width = 16385, .rows = Pixels(16385)};
  expect_error(ExitCode::kData, "PNG is too large: 16385x1, at most 16384 pixels a side",
               [&] { decoded_png(file.encoded()); });
  file = {.width = 1, .height = 16385, .rows = Pixels(16385)};
  expect_error(ExitCode::kData, "PNG is too large: 1x16385", [&] { decoded_png(file.encoded()); });
}

}  // namespace
}  // namespace ganscale::data
