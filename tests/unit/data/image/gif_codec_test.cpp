#include "data/image/gif_codec.h"

#include "support/expect_error.h"
#include "unit/data/encoded.h"

namespace ganscale::data {
namespace {

using Pixels = std::vector<std::uint8_t>;

Image decoded_gif(const std::string& bytes) {
  return decode_gif({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

TEST(Gif, TakesItsColorsFromTheTable) {
  const Image image =
      decoded_gif(gif_bytes(2, 2, {{.width = 2, .height = 2, .indices = {0, 1, 2, 3}}}));
  ASSERT_EQ(image.channels, 3);
  EXPECT_EQ(image.hwc, (Pixels{255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255}));
  EXPECT_FALSE(image.has_more_frames);
}

TEST(Gif, HasTransparentPixels) {
  const Image image = decoded_gif(
      gif_bytes(2, 1, {{.width = 2, .height = 1, .indices = {2, 1}, .transparent = 1}}));
  ASSERT_EQ(image.channels, 4);
  EXPECT_EQ(image.hwc, (Pixels{0, 0, 255, 255, 0, 0, 0, 0}));
}

TEST(Gif, ShowsTheFirstOfSeveralFramesAtItsPosition) {
  const Image image =
      decoded_gif(gif_bytes(2, 2,
                            {{.left = 1, .top = 1, .width = 1, .height = 1, .indices = {1}},
                             {.width = 2, .height = 2, .indices = {0, 0, 0, 0}}}));
  EXPECT_TRUE(image.has_more_frames);
  ASSERT_EQ(image.channels, 4);
  EXPECT_EQ(image.hwc, (Pixels{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 0, 255}));
}

TEST(Gif, PutsInterlacedRowsInOrder) {
  std::vector<GifPixelType> indices;
  for (int y = 0; y < 11; ++y) indices.push_back(static_cast<GifPixelType>(y % 3));
  const std::vector<GifFrame> frames = {
      {.width = 1, .height = 11, .indices = indices, .is_interlaced = true}};
  const Image image = decoded_gif(gif_bytes(1, 11, frames));
  for (std::size_t y = 0; y < 11; ++y) {
    EXPECT_EQ(image.hwc.at(3 * y + y % 3), 255) << y;
    EXPECT_EQ(image.hwc.at(3 * y + (y + 1) % 3), 0) << y;
  }
}

TEST(Gif, IsRefusedWithAReasonWhenItsPartsDoNotFit) {
  const GifFrame sound = {.width = 2, .height = 1, .indices = {0, 1}};
  const auto refused = [](const std::string& why, const std::string& bytes) {
    expect_error(ExitCode::kData, why, [&] { decoded_gif(bytes); });
  };
  GifFrame outside = sound;
  outside.left = 1;
  refused("GIF is damaged: its first frame is not within the image", gif_bytes(2, 1, {outside}));
  refused("GIF is damaged: has no frame", gif_bytes(2, 1, {}));
  std::string bytes = gif_bytes(2, 1, {sound});
  bytes[6] = '\0';  // the width
  refused("GIF is damaged: its size is 0x1", bytes);
  bytes[7] = '\x7f';
  refused("GIF is too large: 32512x1", bytes);
}

// The frame has the colors 0 to 3, but its table only 0 and 1.
TEST(Gif, IsRefusedWithAColorThatIsNotInItsTable) {
  std::string bytes = gif_bytes(2, 1, {{.width = 2, .height = 1, .indices = {0, 3}}});
  bytes[10] = static_cast<char>(bytes[10] & ~7);  // 2^(0 + 1) colors
  bytes.erase(13 + 6, 6);
  expect_error(ExitCode::kData, "GIF is damaged: color not in its table",
               [&] { decoded_gif(bytes); });
  bytes[10] = static_cast<char>(bytes[10] & 0x7f);  // no table at all
  bytes.erase(13, 6);
  expect_error(ExitCode::kData, "GIF is damaged: has no color table", [&] { decoded_gif(bytes); });
}

}  // namespace
}  // namespace ganscale::data
