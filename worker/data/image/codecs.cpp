#include "data/image/codecs.h"

#include <algorithm>
#include <ranges>
#include <string>

#include "base/error.h"
#include "base/joined.h"
#include "data/image/bmp_codec.h"
#include "data/image/gif_codec.h"
#include "data/image/jpeg_codec.h"
#include "data/image/png_codec.h"
#include "data/image/tiff_codec.h"
#include "data/image/webp_codec.h"

namespace ganscale::data {
namespace {

using namespace std::string_view_literals;

constexpr Codec kCodecs[] = {
    {"PNG", {".png"}, {"\x89PNG"}, decode_png, png_shape},
    {"JPEG", {".jpg", ".jpeg", ".jfif"}, {"\xff\xd8"}, decode_jpeg, jpeg_shape},
    {"WebP", {".webp"}, {"RIFF????WEBP"}, decode_webp, webp_shape},
    {"GIF", {".gif"}, {"GIF87a", "GIF89a"}, decode_gif, gif_shape},
    {"BMP", {".bmp", ".dib"}, {"BM"}, decode_bmp, bmp_shape},
    // Little- and big-endian; BigTIFF.
    {"TIFF",
     {".tif", ".tiff"},
     {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv},
     decode_tiff,
     tiff_shape},
};

bool starts_with(std::span<const std::uint8_t> bytes, std::string_view start) {
  return !start.empty() && bytes.size() >= start.size() &&
         std::ranges::equal(bytes.first(start.size()), start, [](std::uint8_t byte, char wanted) {
           return wanted == '?' || byte == static_cast<std::uint8_t>(wanted);
         });
}

}  // namespace

const Codec& codec_of(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) throw DataError("file is empty");
  for (const Codec& codec : kCodecs) {
    const auto matches = [&](std::string_view start) { return starts_with(bytes, start); };
    if (std::ranges::any_of(codec.starts, matches)) return codec;
  }
  throw DataError("file is not an image in a known format (" +
                  joined(kCodecs | std::views::transform(&Codec::name)) + ")");
}

bool has_codec(std::string_view extension) {
  return !extension.empty() && std::ranges::any_of(kCodecs, [&](const Codec& codec) {
    return std::ranges::find(codec.extensions, extension) != codec.extensions.end();
  });
}

}  // namespace ganscale::data
