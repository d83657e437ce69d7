#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "data/image/image.h"

namespace ganscale::data {

/// A file format of images. Both functions throw DataError with the reason only.
struct Codec {
  std::string_view name;                       ///< for people: "PNG"
  std::array<std::string_view, 3> extensions;  ///< in lower case: ".png"
  std::array<std::string_view, 4> starts;      ///< the first bytes; `?` is any byte
  Image (*decode)(std::span<const std::uint8_t> bytes);
  Image (*shape)(std::span<const std::uint8_t> bytes);  ///< of the result, without decoding
};

/// Returns the codec of a file by its first bytes. Throws DataError with the reason only if there is
/// none.
const Codec& codec_of(std::span<const std::uint8_t> bytes);

/// Returns whether files with this extension (".png", in lower case) are images with a codec.
bool has_codec(std::string_view extension);

}  // namespace ganscale::data
