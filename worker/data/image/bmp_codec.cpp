#include "data/image/bmp_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "base/error.h"
#include "files/endian.h"

// The format: Microsoft, "Bitmap Storage", with the headers BITMAPCOREHEADER, BITMAPINFOHEADER,
// BITMAPV4HEADER and BITMAPV5HEADER.
namespace ganscale::data {
namespace {

constexpr std::size_t kBmpFileHeaderBytes = 14;
constexpr std::size_t kBmpCoreHeaderBytes = 12;
constexpr std::size_t kBmpInfoHeaderBytes = 40;
constexpr std::size_t kBmpMasksAt = kBmpFileHeaderBytes + kBmpInfoHeaderBytes;

/// The bits of a channel in a pixel.
struct BmpChannel {
  std::uint32_t mask = 0;

  /// Returns the channel's value, from 0 to 255; 0 without a mask.
  std::uint8_t of(std::uint32_t pixel) const {
    if (mask == 0) return 0;
    const int shift = std::countr_zero(mask);
    const std::uint64_t most = mask >> shift;
    const std::uint64_t level = (pixel & mask) >> shift;
    return static_cast<std::uint8_t>(most == 255 ? level : (level * 255 + most / 2) / most);
  }
};

struct BmpHeader {
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool is_top_down = false;
  int bits = 0;                             ///< of a pixel
  std::array<BmpChannel, 4> channels = {};  ///< red, green, blue, alpha
  std::span<const std::uint8_t> palette =
      {};                       ///< blue, green, red and perhaps a byte for each color
  std::size_t color_bytes = 4;  ///< of a color in the palette
  std::span<const std::uint8_t> pixels = {};  ///< height rows of row_bytes()

  std::size_t row_bytes() const {
    return (static_cast<std::size_t>(width) * static_cast<std::size_t>(bits) + 31) / 32 * 4;
  }
  Image shape() const {
    return {.channels = channels[3].mask != 0 ? 4 : 3,
            .height = static_cast<int>(height),
            .width = static_cast<int>(width)};
  }
};

/// Returns `count` bytes of a file from `at` on.
std::span<const std::uint8_t> bmp_part(std::span<const std::uint8_t> bytes, std::size_t at,
                                       std::size_t count) {
  if (at > bytes.size() || count > bytes.size() - at) {
    throw DataError("BMP is damaged: ends too early");
  }
  return bytes.subspan(at, count);
}

/// Returns the compression; 0 if there is none.
std::uint32_t read_bmp_sizes(std::span<const std::uint8_t> bytes, std::size_t header_bytes,
                             BmpHeader& header) {
  const std::uint8_t* from = bmp_part(bytes, kBmpFileHeaderBytes, header_bytes).data();
  if (header_bytes == kBmpCoreHeaderBytes) {
    header.width = files::little_endian_16(from + 4);
    header.height = files::little_endian_16(from + 6);
    header.bits = files::little_endian_16(from + 10);
    header.color_bytes = 3;
    return 0;
  }
  header.width = static_cast<std::int32_t>(files::little_endian_32(from + 4));
  const std::int64_t height = static_cast<std::int32_t>(files::little_endian_32(from + 8));
  header.is_top_down = height < 0;
  header.height = header.is_top_down ? -height : height;
  header.bits = files::little_endian_16(from + 14);
  return files::little_endian_32(from + 16);
}

/// Returns the channels of the first `count` masks in a file.
std::array<BmpChannel, 4> read_bmp_masks(std::span<const std::uint8_t> bytes, std::size_t count) {
  const auto masks = bmp_part(bytes, kBmpMasksAt, 4 * count);
  std::array<BmpChannel, 4> channels;
  for (std::size_t c = 0; c < count; ++c) {
    const std::uint64_t mask = files::little_endian_32(masks.data() + 4 * c);
    if (mask != 0 && !std::has_single_bit((mask >> std::countr_zero(mask)) + 1)) {
      throw DataError("BMP is damaged: the mask of a channel has gaps");
    }
    channels[c].mask = static_cast<std::uint32_t>(mask);
  }
  return channels;
}

/// Returns the channels that the file has masks for, or the usual ones.
std::array<BmpChannel, 4> bmp_channels(std::span<const std::uint8_t> bytes,
                                       std::size_t header_bytes, std::uint32_t compression,
                                       int bits) {
  constexpr std::uint32_t kMasks = 3;
  constexpr std::uint32_t kMasksWithAlpha = 6;
  constexpr std::size_t kHeaderWithAlphaBytes = 56;
  if (compression == 0 && bits == 16) return {{{0x7c00}, {0x03e0}, {0x001f}, {0}}};
  if (compression == 0) return {{{0xff0000}, {0x00ff00}, {0x0000ff}, {0}}};
  const bool may_have_masks = bits == 16 || bits == 32;
  if (may_have_masks && compression == kMasksWithAlpha) return read_bmp_masks(bytes, 4);
  if (may_have_masks && compression == kMasks) {
    return read_bmp_masks(bytes, header_bytes >= kHeaderWithAlphaBytes ? 4 : 3);
  }
  throw DataError("BMP is compressed, which is not supported: convert it to PNG");
}

/// Returns the palette between the header and the pixels, which may have fewer colors than the
/// pixels' bits allow.
std::span<const std::uint8_t> bmp_palette(std::span<const std::uint8_t> bytes,
                                          std::size_t header_bytes, std::size_t pixels_at,
                                          const BmpHeader& header) {
  std::size_t count = std::size_t{1} << header.bits;
  if (header_bytes >= kBmpInfoHeaderBytes) {
    const std::size_t used = files::little_endian_32(bytes.data() + kBmpFileHeaderBytes + 32);
    if (used > 0) count = std::min(count, used);
  }
  const std::size_t at = kBmpFileHeaderBytes + header_bytes;
  const std::size_t room_bytes = pixels_at > at ? pixels_at - at : 0;
  return bmp_part(bytes, at, std::min(count * header.color_bytes, room_bytes));
}

BmpHeader read_bmp_header(std::span<const std::uint8_t> bytes) {
  const auto start = bmp_part(bytes, 0, kBmpFileHeaderBytes + 4);
  const std::size_t pixels_at = files::little_endian_32(start.data() + 10);
  const std::size_t header_bytes = files::little_endian_32(start.data() + kBmpFileHeaderBytes);
  if (header_bytes != kBmpCoreHeaderBytes && header_bytes < kBmpInfoHeaderBytes) {
    throw DataError("BMP is damaged: its header has " + std::to_string(header_bytes) + " bytes");
  }
  BmpHeader header;
  const std::uint32_t compression = read_bmp_sizes(bytes, header_bytes, header);
  require_sides("BMP", header.height, header.width);
  constexpr std::array kBits{1, 4, 8, 16, 24, 32};
  if (std::ranges::find(kBits, header.bits) == kBits.end()) {
    throw DataError("BMP is damaged: has " + std::to_string(header.bits) + " bits per pixel");
  }
  header.channels = bmp_channels(bytes, header_bytes, compression, header.bits);
  if (header.bits <= 8) header.palette = bmp_palette(bytes, header_bytes, pixels_at, header);
  header.pixels =
      bmp_part(bytes, pixels_at, header.row_bytes() * static_cast<std::size_t>(header.height));
  return header;
}

void read_palette_row(const std::uint8_t* row, const BmpHeader& header, std::uint8_t* to) {
  const int pixels_per_byte = 8 / header.bits;
  for (int x = 0; x < header.width; ++x) {
    const int shift = 8 - header.bits * (x % pixels_per_byte + 1);  // the first in the highest bits
    const std::size_t index = (row[x / pixels_per_byte] >> shift) & ((1 << header.bits) - 1);
    const std::size_t at = index * header.color_bytes;
    if (at + 3 > header.palette.size()) throw DataError("BMP is damaged: color not in its palette");
    for (std::size_t c = 0; c < 3; ++c) *to++ = header.palette[at + 2 - c];
  }
}

void read_masked_row(const std::uint8_t* row, const BmpHeader& header, std::uint8_t* to) {
  const std::size_t pixel_bytes = static_cast<std::size_t>(header.bits) / 8;
  const std::size_t channel_count = header.channels[3].mask != 0 ? 4 : 3;
  for (int x = 0; x < header.width; ++x, row += pixel_bytes) {
    std::uint32_t pixel = 0;
    for (std::size_t i = 0; i < pixel_bytes; ++i) pixel |= std::uint32_t{row[i]} << (8 * i);
    for (std::size_t c = 0; c < channel_count; ++c) *to++ = header.channels[c].of(pixel);
  }
}

}  // namespace

Image decode_bmp(std::span<const std::uint8_t> bytes) {
  const BmpHeader header = read_bmp_header(bytes);
  Image image = header.shape();
  const std::size_t row_bytes = static_cast<std::size_t>(image.width) * image.channels;
  image.hwc.resize(row_bytes * image.height);
  for (int y = 0; y < image.height; ++y) {
    const int stored = header.is_top_down ? y : image.height - 1 - y;
    const std::uint8_t* row = header.pixels.data() + stored * header.row_bytes();
    std::uint8_t* to = image.hwc.data() + y * row_bytes;
    if (header.bits <= 8) {
      read_palette_row(row, header, to);
    } else {
      read_masked_row(row, header, to);
    }
  }
  return image;
}

Image bmp_shape(std::span<const std::uint8_t> bytes) { return read_bmp_header(bytes).shape(); }

}  // namespace ganscale::data
