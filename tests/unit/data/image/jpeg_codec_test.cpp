#include "data/image/jpeg_codec.h"

#include "support/expect_error.h"
#include "unit/data/images.h"

namespace ganscale::data {
namespace {

Image decoded_jpeg(const std::string& bytes) {
  return decode_jpeg({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

/// An image of 8x8 pixels of one color.
Image one_color(const std::vector<std::uint8_t>& color) {
  Image image = make_image(static_cast<int>(color.size()), 8, 8, {});
  for (int i = 0; i < 64; ++i) image.hwc.insert(image.hwc.end(), color.begin(), color.end());
  return image;
}

void expect_color(const Image& image, const std::vector<int>& color) {
  ASSERT_EQ(image.channels, static_cast<int>(color.size()));
  ASSERT_EQ(image.hwc.size(), 64 * color.size());
  for (std::size_t i = 0; i < image.hwc.size(); ++i) {
    EXPECT_NEAR(image.hwc[i], color[i % color.size()], 3) << i;
  }
}

TEST(Jpeg, MayBeGray) { expect_color(decoded_jpeg(jpeg_bytes(one_color({99}))), {99}); }

// A color is what the ink and black leave of the light: 200 of 255, then 153 of 255.
TEST(Jpeg, InCmykBecomesRgb) {
  const std::vector<int> expected = {120, 60, 30};
  const Image inverted = one_color({200, 100, 50, 153});
  expect_color(decoded_jpeg(jpeg_bytes(inverted)), expected);
  const Image ink = one_color({55, 155, 205, 102});
  const JpegKind plain{.stored = JCS_CMYK, .has_adobe_marker = false};
  expect_color(decoded_jpeg(jpeg_bytes(ink, plain)), expected);
}

TEST(Jpeg, InYcckBecomesRgb) {
  const Image inverted = one_color({200, 100, 50, 153});
  expect_color(decoded_jpeg(jpeg_bytes(inverted, {.stored = JCS_YCCK})), {120, 60, 30});
}

TEST(Jpeg, IsRefusedWithASizeThatItDoesNotHave) {
  const std::string sound = jpeg_bytes(one_color({1, 2, 3}));
  const std::size_t height = sound.find("\xff\xc0") + 5;
  std::string jpeg = sound;
  jpeg[height] = '\x7f';
  expect_error(ExitCode::kData, "JPEG is too large: 8x32520, at most 16384 pixels a side",
               [&] { decoded_jpeg(jpeg); });
  jpeg[height] = '\x01';
  expect_error(ExitCode::kData, "JPEG is damaged: ", [&] { decoded_jpeg(jpeg); });
  jpeg[height] = '\0';
  jpeg[height + 1] = '\0';
  expect_error(ExitCode::kData, "JPEG is damaged: ", [&] { decoded_jpeg(jpeg); });
}

}  // namespace
}  // namespace ganscale::data
