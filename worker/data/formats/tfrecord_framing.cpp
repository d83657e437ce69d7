#include "data/formats/tfrecord_framing.h"

#include <isa-l/crc.h>

#include "base/error.h"
#include "data/formats/file_bytes.h"
#include "files/endian.h"

namespace ganscale::data {
namespace {

template <std::size_t Count>
void put_little_endian(std::array<std::uint8_t, Count>& into, std::size_t at, std::uint64_t value,
                       int bytes) {
  for (int i = 0; i < bytes; ++i) into[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

}  // namespace

std::uint32_t masked_crc32c(std::span<const std::uint8_t> bytes) {
  // ISA-L takes a pointer to non-const, but only reads.
  auto* first = const_cast<std::uint8_t*>(bytes.data());
  const std::uint32_t crc = ~crc32_iscsi(first, static_cast<int>(bytes.size()), ~0U);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

std::array<std::uint8_t, kFrameHeaderBytes> frame_header(std::uint64_t data_bytes) {
  std::array<std::uint8_t, kFrameHeaderBytes> header = {};
  put_little_endian(header, 0, data_bytes, 8);
  put_little_endian(header, 8, masked_crc32c({header.data(), 8}), 4);
  return header;
}

std::array<std::uint8_t, kFrameFooterBytes> frame_footer(std::span<const std::uint8_t> data) {
  std::array<std::uint8_t, kFrameFooterBytes> footer = {};
  put_little_endian(footer, 0, masked_crc32c(data), 4);
  return footer;
}

std::int64_t read_frame_header(std::span<const std::uint8_t> header) {
  if (masked_crc32c(header.first(8)) != files::little_endian_32(header.data() + 8)) {
    throw DataError("checksum of the record's length is wrong");
  }
  const std::uint64_t length = files::little_endian_64(header.data());
  if (length > kLongestFrameData) {
    throw DataError("record is longer than supported (" + std::to_string(length) + " bytes)");
  }
  return static_cast<std::int64_t>(length);
}

std::span<const std::uint8_t> read_frame(std::span<const std::uint8_t> frame) {
  const auto frame_bytes = static_cast<std::int64_t>(frame.size());
  if (frame_bytes < kFrameHeaderBytes + kFrameFooterBytes) throw DataError("record is truncated");
  const std::int64_t length = read_frame_header(frame.first(kFrameHeaderBytes));
  if (kFrameHeaderBytes + length + kFrameFooterBytes != frame_bytes) {
    throw DataError("record length does not match the index");
  }
  const auto data = frame.subspan(kFrameHeaderBytes, length);
  if (masked_crc32c(data) != files::little_endian_32(data.data() + length)) {
    throw DataError("checksum of the record's data is wrong");
  }
  return data;
}

}  // namespace ganscale::data
