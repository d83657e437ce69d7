#include "data/image/webp_codec.h"

#include "support/expect_error.h"
#include "unit/data/encoded.h"

namespace ganscale::data {
namespace {

Image decoded_webp(const std::string& bytes) {
  return decode_webp({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

TEST(Webp, KeepsThePixelsOfALosslessFile) {
  const Image rgb = make_image(3, 1, 2, {1, 2, 3, 250, 251, 252});
  EXPECT_EQ(decoded_webp(webp_bytes(rgb)).hwc, rgb.hwc);
  const Image rgba = make_image(4, 1, 2, {1, 2, 3, 100, 250, 251, 252, 255});
  const Image decoded = decoded_webp(webp_bytes(rgba));
  EXPECT_EQ(decoded.channels, 4);
  EXPECT_EQ(decoded.hwc, rgba.hwc);
}

TEST(Webp, IsNearlyTheImageThatWasCompressed) {
  const Image image = decoded_webp(webp_bytes(flat_image(3, 16, 200), 90.0F));
  ASSERT_EQ(image.hwc.size(), 3U * 16 * 16);
  for (const std::uint8_t value : image.hwc) EXPECT_NEAR(value, 200, 2);
}

TEST(Webp, PutsTheFirstFrameOfAnAnimationOnItsCanvas) {
  const Image first = make_image(3, 1, 2, {1, 2, 3, 4, 5, 6});
  const Image second = make_image(3, 1, 2, {9, 9, 9, 9, 9, 9});
  const Image image = decoded_webp(animated_webp_bytes({first, second}, 4, 2));
  EXPECT_TRUE(image.has_more_frames);
  ASSERT_EQ(image.channels, 4);
  EXPECT_EQ(image.height, 2);
  EXPECT_EQ(image.width, 4);
  std::vector<std::uint8_t> expected(4 * 2 * 4);
  const std::vector<std::uint8_t> frame = {1, 2, 3, 255, 4, 5, 6, 255};
  std::ranges::copy(frame, expected.begin() + 2 * 4);
  EXPECT_EQ(image.hwc, expected);
}

TEST(Webp, IsRefusedWithACanvasLargerThanItsFrames) {
  std::string webp = animated_webp_bytes({make_image(3, 1, 1, {1, 2, 3})}, 4, 2);
  const std::size_t canvas = webp.find("VP8X") + 12;  // width - 1, height - 1
  for (std::size_t i = 0; i < 6; ++i) webp[canvas + i] = '\xff';
  expect_error(ExitCode::kData, "WebP is ", [&] { decoded_webp(webp); });
  webp[canvas + 2] = '\0';  // 65,536 pixels wide
  webp[canvas + 4] = '\0';
  webp[canvas + 5] = '\0';
  expect_error(ExitCode::kData, "WebP is too large: 65536x256, at most 16384 pixels a side",
               [&] { decoded_webp(webp); });
}

}  // namespace
}  // namespace ganscale::data
