#include "data/formats/tf_example.h"

#include "support/expect_error.h"

namespace ganscale::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Features{data: BytesList{[9, 8]}, shape: Int64List{[1, 1, 2]}} by hand from the encoding's rules.
const Bytes kData = {0x0a, 0x0e, 0x0a, 4, 'd', 'a', 't', 'a', 0x12, 6, 0x0a, 4, 0x0a, 2, 9, 8};
const Bytes kShapePacked = {0x0a, 0x10, 0x0a, 5, 's',  'h', 'a', 'p', 'e',
                            0x12, 7,    0x1a, 5, 0x0a, 3,   1,   1,   2};
const Bytes kShapeUnpacked = {0x0a, 0x11, 0x0a, 5,    's', 'h',  'a', 'p',  'e', 0x12,
                              8,    0x1a, 6,    0x08, 1,   0x08, 1,   0x08, 2};

Bytes message(const std::vector<Bytes>& features) {
  Bytes out = {0x0a, 0};
  for (const Bytes& feature : features) {
    for (const std::uint8_t byte : feature) out.push_back(byte);
  }
  out[1] = static_cast<std::uint8_t>(out.size() - 2);
  return out;
}

void expect_read(const Bytes& bytes) {
  const ImageExample example = parse_image_example(bytes);
  EXPECT_THAT(example.shape, testing::ElementsAre(1, 1, 2));
  EXPECT_THAT(example.data, testing::ElementsAre(9, 8));
}

TEST(TfExample, ReadsFeaturesInAnyOrderPackedOrNot) {
  expect_read(message({kData, kShapePacked}));
  expect_read(message({kShapePacked, kData}));
  expect_read(message({kShapeUnpacked, kData}));
}

TEST(TfExample, IgnoresOtherFeatures) {
  // "x": FloatList of one float in a fixed field
  const Bytes other = {0x0a, 0x0c, 0x0a, 1, 'x', 0x12, 7, 0x12, 5, 0x0d, 0, 0, 0, 0};
  expect_read(message({other, kData, kShapePacked}));
}

TEST(TfExample, WritesTheBytesOfTensorFlow) {
  Bytes bytes;
  write_image_example({.shape = {1, 1, 2}, .data = std::span(kData).last(2)}, bytes);
  EXPECT_EQ(bytes, message({kData, kShapePacked}));
}

TEST(TfExample, SaysWhatIsMissing) {
  expect_error(ExitCode::kData, "lacks a feature", [] { parse_image_example(message({kData})); });
  expect_error(ExitCode::kData, "lacks a feature", [] { parse_image_example({}); });
}

TEST(TfExample, RefusesAMessageThatWasCutShortAnywhere) {
  const Bytes whole = message({kData, kShapePacked});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(parse_image_example(std::span(whole).first(length)), DataError) << length;
  }
}

TEST(TfExample, RefusesAShapeOfFourDimensions) {
  Bytes shape = kShapePacked;
  shape[1] += 1;
  shape[10] += 1;
  shape[12] += 1;
  shape[14] += 1;
  shape.push_back(2);
  expect_error(ExitCode::kData, "more than three dimensions",
               [&] { parse_image_example(message({kData, shape})); });
}

}  // namespace
}  // namespace ganscale::data
