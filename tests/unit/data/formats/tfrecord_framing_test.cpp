#include "data/formats/tfrecord_framing.h"

#include "support/expect_error.h"

namespace ganscale::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes frame_of(const Bytes& data) {
  Bytes frame;
  for (const std::uint8_t byte : frame_header(data.size())) frame.push_back(byte);
  for (const std::uint8_t byte : data) frame.push_back(byte);
  for (const std::uint8_t byte : frame_footer(data)) frame.push_back(byte);
  return frame;
}

TEST(TfrecordFraming, MasksTheChecksum) {
  // CRC32C of "123456789" is 0xE3069283; rotated right by 15: 0x2507C60D; plus 0xA282EAD8.
  const Bytes digits = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  EXPECT_EQ(masked_crc32c(digits), 0xC78AB0E5U);
}

TEST(TfrecordFraming, WritesTheHeaderThatTensorFlowWrites) {
  EXPECT_THAT(frame_header(0x52),
              testing::ElementsAre(0x52, 0, 0, 0, 0, 0, 0, 0, 0x25, 0xeb, 0x07, 0xb7));
}

TEST(TfrecordFraming, ReadsWhatItWrote) {
  const Bytes data = {1, 2, 3};
  const Bytes frame = frame_of(data);
  const auto read = read_frame(frame);
  EXPECT_EQ(Bytes(read.begin(), read.end()), data);
}

TEST(TfrecordFraming, FindsAFlippedBitAnywhere) {
  const Bytes frame = frame_of({1, 2, 3});
  for (std::size_t bit = 0; bit < 8 * frame.size(); ++bit) {
    Bytes damaged = frame;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    EXPECT_THROW(read_frame(damaged), DataError) << "bit " << bit;
  }
}

TEST(TfrecordFraming, RefusesFewerBytesThanAFrameHas) {
  const std::vector<std::uint8_t> bytes(kFrameHeaderBytes + kFrameFooterBytes - 1);
  for (std::size_t count = 0; count <= bytes.size(); ++count)
    expect_error(ExitCode::kData, "record is truncated",
                 [&] { read_frame(std::span(bytes).first(count)); });
}

TEST(TfrecordFraming, RefusesAnotherLengthThanIndexed) {
  Bytes frame = frame_of({1, 2, 3});
  frame.push_back(0);
  expect_error(ExitCode::kData, "does not match the index", [&] { read_frame(frame); });
}

}  // namespace
}  // namespace ganscale::data
