#include "data/image/decode.h"

#include "data/sources/read_image.h"
#include "support/expect_error.h"
#include "unit/data/fake_source.h"
#include "unit/data/images.h"

namespace ganscale::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes decoded(const Record& record, const DecodePolicy& policy) {
  Bytes chw(static_cast<std::size_t>(policy.channels * policy.resolution.pixels()));
  decode_into(record, policy, chw);
  return chw;
}

TEST(Decode, LaysPixelsOutInPlanes) {
  const Bytes hwc = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Bytes chw = {1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12};
  const DecodePolicy policy{.channels = 3, .resolution = 2};
  EXPECT_EQ(decoded(raw_record(Encoding::kRawHwc, 3, 2, 2, hwc), policy), chw);
  EXPECT_EQ(decoded(raw_record(Encoding::kRawChw, 3, 2, 2, chw), policy), chw);
  const std::string png = encode_png(make_image(3, 2, 2, hwc));
  EXPECT_EQ(decoded(make_record(Encoding::kFile, png), policy), chw);
}

TEST(Decode, ReadsJpegWithinOneLevel) {
  const std::string jpeg = jpeg_bytes(flat_image(3, 8, 200));
  for (const std::uint8_t value :
       decoded(make_record(Encoding::kFile, jpeg), {.channels = 3, .resolution = 8})) {
    EXPECT_NEAR(value, 200, 1);
  }
}

TEST(Decode, TurnsJpegInCmykIntoRgb) {
  const Record record = make_record(Encoding::kFile, jpeg_bytes(flat_image(4, 8, 200)));
  EXPECT_EQ(image_shape(record).channels, 3);
  const Bytes rgb = decoded(record, {.channels = 3, .resolution = 8});
  ASSERT_EQ(rgb.size(), 3U * 8 * 8);
  for (const std::uint8_t value : rgb) EXPECT_NEAR(value, 157, 2);  // 200 x 200 / 255
}

TEST(Decode, RefusesAnotherSizeWithTheReason) {
  const Record record = raw_record(Encoding::kRawChw, 1, 2, 3, Bytes(6));
  for (const char* reason : {"1x2x3, wanted 4x4", "model.resolution", "fit: resize"}) {
    expect_error(ExitCode::kData, reason,
                 [&] { decoded(record, {.channels = 1, .resolution = 4}); });
  }
}

TEST(Decode, RefusesToPadALargerImage) {
  const Record record = raw_record(Encoding::kRawChw, 1, 4, 4, Bytes(16));
  expect_error(ExitCode::kData, "image size differs",
               [&] { decoded(record, {.channels = 1, .resolution = 2, .fit = Fit::kPad}); });
}

TEST(Decode, PadsWithBlackAround) {
  const Record record = raw_record(Encoding::kRawChw, 1, 1, 2, {7, 9});
  EXPECT_EQ(decoded(record, {.channels = 1, .resolution = 4, .fit = Fit::kPad}),
            (Bytes{0, 0, 0, 0, 0, 7, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Decode, ResizesTheCenteredSquare) {
  // The columns outside the square hold 255 and must not be seen.
  const Record record = raw_record(Encoding::kRawChw, 1, 2, 4, {255, 8, 16, 255, 255, 8, 16, 255});
  EXPECT_EQ(decoded(record, {.channels = 1, .resolution = 1, .fit = Fit::kResize}), Bytes{12});
}

TEST(Decode, ChangesTheNumberOfChannelsOnlyWhenAsked) {
  const Record gray = raw_record(Encoding::kRawChw, 1, 1, 1, {50});
  expect_error(
      ExitCode::kData,
      "number of channels differs from the requested one; set data.channels (data convert: "
      "--channels) to rgb or gray to convert all images: 1x1x1, wanted 3",
      [&] { decoded(gray, {.channels = 3, .resolution = 1}); });
  EXPECT_EQ(decoded(gray, {.channels = 3, .resolution = 1, .convert_colors = true}),
            (Bytes{50, 50, 50}));
  // 0.299 * 100 + 0.587 * 200 + 0.114 * 50 = 153
  const Record color = raw_record(Encoding::kRawHwc, 3, 1, 1, {100, 200, 50});
  EXPECT_EQ(decoded(color, {.channels = 1, .resolution = 1, .convert_colors = true}), Bytes{153});
}

TEST(Decode, FlattensAlphaOverTheBackground) {
  const Record record = raw_record(Encoding::kRawHwc, 4, 1, 1, {100, 0, 200, 51});  // a fifth of it
  EXPECT_EQ(decoded(record, {.channels = 3, .resolution = 1, .background = {50, 100, 0}}),
            (Bytes{60, 80, 40}));
}

TEST(Decode, RefusesBytesThatDoNotFitTheShape) {
  expect_error(ExitCode::kData, "11, shape 3x2x2", [] {
    decoded(raw_record(Encoding::kRawChw, 3, 2, 2, Bytes(11)), {.channels = 3, .resolution = 2});
  });
  expect_error(ExitCode::kData, "not one of an image", [] {
    decoded(raw_record(Encoding::kRawChw, 3, -2, 2, Bytes(12)), {.channels = 3, .resolution = 2});
  });
}

TEST(Decode, RefusesAPngThatWasCutShortAnywhere) {
  const std::string png = encode_png(flat_image(3, 4, 9));
  for (std::size_t length = 4; length < png.size(); ++length) {
    expect_error(ExitCode::kData, "PNG is damaged: ", [&] {
      decode(make_record(Encoding::kFile, png.substr(0, length)));
    });
  }
}

TEST(Decode, RefusesAPngWithAFlippedBit) {
  std::string png = encode_png(flat_image(3, 4, 9));
  png[png.find("IDAT") + 6] ^= 1;
  expect_error(ExitCode::kData,
               "PNG is damaged: ", [&] { decode(make_record(Encoding::kFile, png)); });
}

TEST(Decode, RefusesAJpegThatWasCutShort) {
  Bytes noise(3 * 32 * 32);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<std::uint8_t>(i * i);
  const std::string jpeg = jpeg_bytes(make_image(3, 32, 32, noise));
  for (const std::size_t length : {std::size_t{2}, std::size_t{20}, jpeg.size() / 2}) {
    expect_error(ExitCode::kData, "JPEG is damaged: ", [&] {
      decode(make_record(Encoding::kFile, jpeg.substr(0, length)));
    });
  }
}

TEST(Decode, RefusesAJpegWithAnInvalidHuffmanCode) {
  Bytes noise(3 * 32 * 32);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<std::uint8_t>(i * i);
  std::string jpeg = jpeg_bytes(make_image(3, 32, 32, noise));
  // No Huffman code is all ones; in the data FF 00 stands for eight of them.
  for (std::size_t i = 0; i < 16; ++i) jpeg[jpeg.size() / 2 + i] = i % 2 == 0 ? '\xff' : '\0';
  expect_error(ExitCode::kData,
               "JPEG is damaged: ", [&] { decode(make_record(Encoding::kFile, jpeg)); });
}

TEST(Decode, ReadsAJpegWithBytesBetweenItsMarkers) {
  std::string jpeg = jpeg_bytes(flat_image(3, 8, 200));
  jpeg.insert(jpeg.find("\xff\xdb"), "..");  // before the quantization tables
  EXPECT_NEAR(decode(make_record(Encoding::kFile, jpeg)).hwc[0], 200, 1);
}

TEST(ReadInto, NamesTheRecordThatIsRefused) {
  FakeSource source(3);
  source.undecodable = {2};
  Record record;
  Bytes chw(4);
  const DecodePolicy policy{.channels = 1, .resolution = 2};
  read_into(source, 1, policy, record, chw);
  EXPECT_EQ(chw, (Bytes{1, 0, 2, 0}));
  expect_error(ExitCode::kData, "fake, record 2",
               [&] { read_into(source, 2, policy, record, chw); });
}

TEST(Decode, ReadsTheShapeWithoutDecodingPixels) {
  const Image png = image_shape(make_record(Encoding::kFile, encode_png(flat_image(2, 5, 1))));
  EXPECT_EQ(png.channels, 2);
  EXPECT_EQ(png.height, 5);
  EXPECT_TRUE(png.hwc.empty());
  const Image jpeg = image_shape(make_record(Encoding::kFile, jpeg_bytes(flat_image(1, 7, 1))));
  EXPECT_EQ(jpeg.channels, 1);
  EXPECT_EQ(jpeg.width, 7);
}

}  // namespace
}  // namespace ganscale::data
