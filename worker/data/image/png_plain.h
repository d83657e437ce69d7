#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "data/image/image.h"

namespace ganscale::data {

/// Decodes the PNGs typical of datasets about three times as fast as libpng: 8 bits per channel,
/// gray or RGB with or without alpha, not interlaced. Verifies all checksums.
///
/// Returns nothing for any other or damaged file: libpng decodes it or reports what is wrong.
std::optional<Image> decode_plain_png(std::span<const std::uint8_t> bytes);

}  // namespace ganscale::data
