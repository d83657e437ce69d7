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
  for (const std::size_t side : {height, height + 2}) jpeg.replace(side, 2, "\x40\0", 2);
  expect_error(ExitCode::kData, "JPEG is damaged: it has too few bytes for its size",
               [&] { decoded_jpeg(jpeg); });
  jpeg = sound;
  jpeg[height] = '\0';
  jpeg[height + 1] = '\0';
  expect_error(ExitCode::kData, "JPEG is damaged: ", [&] { decoded_jpeg(jpeg); });
}

/// The scans of a progressive JPEG: the first coefficient of all components, then each other one of
/// each component by itself.
std::vector<jpeg_scan_info> single_scans(int components) {
  std::vector<jpeg_scan_info> scans = {{.comps_in_scan = components,
                                        .component_index = {0, 1, 2, 0},
                                        .Ss = 0,
                                        .Se = 0,
                                        .Ah = 0,
                                        .Al = 0}};
  for (int component = 0; component < components; ++component) {
    for (int coefficient = 1; coefficient < 64; ++coefficient) {
      scans.push_back({.comps_in_scan = 1,
                       .component_index = {component, 0, 0, 0},
                       .Ss = coefficient,
                       .Se = coefficient,
                       .Ah = 0,
                       .Al = 0});
    }
  }
  return scans;
}

TEST(Jpeg, MayHaveScansButNotAnyNumberOfThem) {
  expect_color(decoded_jpeg(jpeg_bytes(one_color({99}), {.scans = single_scans(1)})), {99});
  const std::string jpeg = jpeg_bytes(one_color({1, 2, 3}), {.scans = single_scans(3)});
  expect_error(ExitCode::kData, "JPEG is damaged: more than 100 scans",
               [&] { decoded_jpeg(jpeg); });
}

TEST(Jpeg, IsRefusedWithoutItsFirstScan) {
  std::string jpeg = jpeg_bytes(one_color({99}), {.scans = single_scans(1)});
  const std::size_t scan = jpeg.find("\xff\xda");
  jpeg.erase(scan, jpeg.find("\xff\xc4", scan) - scan);  // up to the Huffman table of the second
  expect_error(ExitCode::kData, "JPEG is damaged: Inconsistent progression sequence",
               [&] { decoded_jpeg(jpeg); });
}

// An arithmetic code is only found invalid where it goes past the end of a block.
TEST(Jpeg, IsRefusedWithAnInvalidArithmeticCode) {
#if !defined(C_ARITH_CODING_SUPPORTED) || !defined(D_ARITH_CODING_SUPPORTED)
  GTEST_SKIP() << "this libjpeg has no arithmetic codes";
#endif
  Image stripes = make_image(1, 8, 8, {});  // without any frequency along the rows
  for (int i = 0; i < 64; ++i) stripes.hwc.push_back(i / 8 % 2 == 0 ? 0 : 255);
  std::vector<jpeg_scan_info> scans(
      2,
      jpeg_scan_info{
          .comps_in_scan = 1, .component_index = {0, 0, 0, 0}, .Ss = 0, .Se = 0, .Ah = 0, .Al = 0});
  scans[1].Ss = 1;
  scans[1].Se = 63;
  std::string jpeg = jpeg_bytes(stripes, {.scans = scans, .is_arithmetic = true});
  EXPECT_EQ(decoded_jpeg(jpeg).hwc.size(), 64U);
  constexpr std::size_t kLastCoefficient = 8;  // in the header of a scan
  char& last = jpeg[jpeg.rfind("\xff\xda") + kLastCoefficient];
  ASSERT_EQ(last, 63);
  last = 5;  // which is zero, as those before it, but others follow in the code
  expect_error(ExitCode::kData, "JPEG is damaged: Corrupt JPEG data: bad arithmetic code",
               [&] { decoded_jpeg(jpeg); });
}

}  // namespace
}  // namespace ganscale::data
