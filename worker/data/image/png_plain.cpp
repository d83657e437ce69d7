#include "data/image/png_plain.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "files/endian.h"

// The format: W3C, "Portable Network Graphics (PNG) Specification", second edition: 5 (chunks),
// 9 (filters), 11.2.2 (the header).
namespace ganscale::data {
namespace {

using Bytes = std::span<const std::uint8_t>;

struct PngChunk {
  std::string_view type;
  Bytes data;
};

/// Removes and returns the next chunk of `bytes`; nothing if it is truncated or its checksum wrong.
std::optional<PngChunk> take_chunk(Bytes& bytes) {
  constexpr std::size_t kFrameBytes = 12;  // length, type, checksum
  if (bytes.size() < kFrameBytes) return std::nullopt;
  const std::size_t length = files::big_endian_32(bytes.data());
  if (length > bytes.size() - kFrameBytes) return std::nullopt;
  const Bytes checked = bytes.subspan(4, 4 + length);
  const std::uint32_t crc = crc32_gzip_refl(0, checked.data(), checked.size());
  if (crc != files::big_endian_32(bytes.data() + 8 + length)) return std::nullopt;
  bytes = bytes.subspan(kFrameBytes + length);
  return PngChunk{{reinterpret_cast<const char*>(checked.data()), 4}, checked.subspan(4)};
}

/// Returns the number of channels of a color type of 8 bits; 0 for palettes and unknown ones.
int channels_of(int color_type) {
  switch (color_type) {
    case 0: return 1;
    case 2: return 3;
    case 4: return 2;
    case 6: return 4;
    default: return 0;
  }
}

bool is_side(std::uint32_t pixels) { return pixels >= 1 && pixels <= kLongestSide; }

/// Returns the shape in the header; nothing if the format is not supported here.
std::optional<Image> plain_shape(const PngChunk& header) {
  if (header.type != "IHDR" || header.data.size() != 13) return std::nullopt;
  const std::uint32_t width = files::big_endian_32(header.data.data());
  const std::uint32_t height = files::big_endian_32(header.data.data() + 4);
  const int channels = channels_of(header.data[9]);
  // Depth; compression, filter and interlace methods.
  const bool is_plain = header.data[8] == 8 && std::ranges::count(header.data.last(3), 0) == 3;
  if (!is_plain || channels == 0 || !is_side(width) || !is_side(height)) return std::nullopt;
  return Image{.channels = channels,
               .height = static_cast<int>(height),
               .width = static_cast<int>(width),
               .hwc = {}};
}

/// Returns whether a chunk changes the meaning of the pixels: transparency by color, and critical
/// chunks other than the pixels themselves.
bool matters(std::string_view type) {
  const bool is_critical = (type[0] & 0x20) == 0;
  return type == "tRNS" || (is_critical && type != "IDAT");
}

/// Unpacks the pixel data incrementally.
class Inflater {
 public:
  /// Unpacks into `out`, whose last byte must stay unused: it detects an image with too many rows.
  explicit Inflater(std::vector<std::uint8_t>& out)
      : state_(std::make_unique_for_overwrite<inflate_state>()) {
    isal_inflate_init(state_.get());
    state_->crc_flag = ISAL_ZLIB;
    state_->next_out = out.data();
    state_->avail_out = static_cast<std::uint32_t>(out.size());
  }

  bool feed(Bytes packed) {
    state_->next_in = const_cast<std::uint8_t*>(packed.data());  // read only
    state_->avail_in = static_cast<std::uint32_t>(packed.size());
    return isal_inflate(state_.get()) == ISAL_DECOMP_OK && state_->avail_in == 0;
  }

  /// Returns whether the stream has ended with the right checksum and filled all but the last byte.
  bool is_complete() const {
    return state_->block_state == ISAL_BLOCK_FINISH && state_->avail_out == 1;
  }

 private:
  std::unique_ptr<inflate_state> state_;
};

/// The channels of a pixel as 16-bit lanes, so that a vector instruction handles all channels at
/// once: each pixel depends on the previous one.
using Lanes = std::int16_t __attribute__((vector_size(16)));
using Words = std::uint32_t __attribute__((vector_size(16)));
using Bytes16 = std::uint8_t __attribute__((vector_size(16)));
using Bytes8 = std::uint8_t __attribute__((vector_size(8)));

/// Loads a pixel; with three channels, the byte after it as well.
template <int kChannels>
Lanes load(const std::uint8_t* pixel) {
  std::uint32_t word = 0;
  if constexpr (kChannels == 1) {
    word = *pixel;
  } else {
    std::memcpy(&word, pixel, kChannels == 2 ? 2 : 4);
  }
  static_assert(std::endian::native == std::endian::little);
  const Bytes16 zeros = {};
  const auto bytes = std::bit_cast<Bytes16>(Words{word});
  return std::bit_cast<Lanes>(__builtin_shufflevector(bytes, zeros, 0, 16, 1, 17, 2, 18, 3, 19, 4,
                                                      20, 5, 21, 6, 22, 7, 23));
}

template <int kChannels>
void store(std::uint8_t* pixel, Lanes lanes) {
  const auto bytes = std::bit_cast<std::uint64_t>(__builtin_convertvector(lanes, Bytes8));
  if constexpr (kChannels == 3) {  // two stores from registers, not through memory
    const auto low = static_cast<std::uint16_t>(bytes);
    std::memcpy(pixel, &low, 2);
    pixel[2] = static_cast<std::uint8_t>(bytes >> 16);
  } else {
    std::memcpy(pixel, &bytes, kChannels);
  }
}

Lanes magnitude(Lanes x) { return x > -x ? x : -x; }
Lanes lesser(Lanes x, Lanes y) { return x < y ? x : y; }

/// Returns the neighbor nearest to left + above - corner; on ties left, then above.
Lanes paeth(Lanes left, Lanes above, Lanes corner) {
  const Lanes from_above = above - corner;
  const Lanes from_left = left - corner;
  const Lanes to_left = magnitude(from_above);
  const Lanes to_above = magnitude(from_left);
  const Lanes to_corner = magnitude(from_above + from_left);
  const Lanes least = lesser(to_corner, lesser(to_left, to_above));
  return to_left == least ? left : (to_above == least ? above : corner);
}

/// Adds modulo 256: the upper bytes of both are zero.
Lanes add_bytes(Lanes x, Lanes y) {
  return std::bit_cast<Lanes>(std::bit_cast<Bytes16>(x) + std::bit_cast<Bytes16>(y));
}

/// Adds predict(left, above, corner) to each pixel of a row.
template <int kChannels, class Predict>
void add_prediction(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* row,
                    int width, Predict predict) {
  Lanes left = {};
  Lanes corner = {};
  for (int x = 0; x < width; ++x) {
    const Lanes up = load<kChannels>(above + x * kChannels);
    left = add_bytes(load<kChannels>(filtered + x * kChannels), predict(left, up, corner));
    corner = up;
    store<kChannels>(row + x * kChannels, left);
  }
}

void add_above(const std::uint8_t* __restrict filtered, const std::uint8_t* __restrict above,
               std::uint8_t* __restrict row, int row_bytes) {
  for (int i = 0; i < row_bytes; ++i) row[i] = static_cast<std::uint8_t>(filtered[i] + above[i]);
}

/// Reverses a row's filter. above: the previous row, zeros for the first. Returns false for an
/// unknown filter.
template <int kChannels>
bool unfilter_row(const std::uint8_t* filtered, const std::uint8_t* above, std::uint8_t* row,
                  int width) {
  const int filter = *filtered++;
  const auto undo = [=](auto predict) {
    add_prediction<kChannels>(filtered, above, row, width, predict);
    return true;
  };
  const int row_bytes = width * kChannels;
  switch (filter) {
    case 0: std::memcpy(row, filtered, static_cast<std::size_t>(row_bytes)); return true;
    case 1: return undo([](Lanes left, Lanes, Lanes) { return left; });
    case 2: add_above(filtered, above, row, row_bytes); return true;
    case 3: return undo([](Lanes left, Lanes up, Lanes) { return (left + up) >> 1; });
    case 4: return undo(paeth);
    default: return false;
  }
}

/// Reverses the filters in place: `hwc` first has the filter and the bytes of each row, then only
/// the bytes.
template <int kChannels>
bool unfilter(Image& image) {
  const std::size_t row_bytes = static_cast<std::size_t>(image.width) * kChannels;
  std::vector<std::uint8_t> filtered(row_bytes + 2);  // load() may read a byte more
  const std::vector<std::uint8_t> zeros(row_bytes + 1);
  const std::uint8_t* above = zeros.data();
  std::uint8_t* row = image.hwc.data();
  for (int y = 0; y < image.height; ++y) {
    std::memcpy(filtered.data(), image.hwc.data() + y * (row_bytes + 1), row_bytes + 1);
    if (!unfilter_row<kChannels>(filtered.data(), above, row, image.width)) return false;
    above = row;
    row += row_bytes;
  }
  image.hwc.resize(row_bytes * image.height);
  return true;
}

bool unfilter_any(Image& image) {
  switch (image.channels) {
    case 1: return unfilter<1>(image);
    case 2: return unfilter<2>(image);
    case 3: return unfilter<3>(image);
    default: return unfilter<4>(image);
  }
}

/// Unpacks the chunks after the header into the image, up to the end.
bool inflate_chunks(Bytes bytes, Image& image) {
  Inflater inflater(image.hwc);
  while (const auto chunk = take_chunk(bytes)) {
    if (chunk->type == "acTL") image.has_more_frames = true;  // an animation
    if (chunk->type == "IEND") return inflater.is_complete();
    if (matters(chunk->type)) return false;
    if (chunk->type == "IDAT" && !inflater.feed(chunk->data)) return false;
  }
  return false;
}

}  // namespace

std::optional<Image> decode_plain_png(Bytes bytes) {
  constexpr std::array<std::uint8_t, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  if (bytes.size() < 8 || !std::ranges::equal(bytes.first(8), kSignature)) return std::nullopt;
  bytes = bytes.subspan(8);
  const auto header = take_chunk(bytes);
  auto image = header ? plain_shape(*header) : std::nullopt;
  if (!image) return std::nullopt;
  const std::size_t row_bytes = static_cast<std::size_t>(image->width) * image->channels;
  image->hwc.resize((row_bytes + 1) * image->height + 1);
  if (!inflate_chunks(bytes, *image) || !unfilter_any(*image)) return std::nullopt;
  return image;
}

}  // namespace ganscale::data
