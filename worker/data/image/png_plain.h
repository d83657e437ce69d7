#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "data/image/image.h"

namespace ganscale::data {

/// Decodes the PNGs that data sets are made of about three times as fast as libpng: 8 bits a
/// channel, gray or RGB with or without alpha, not interlaced. All checksums are checked.
///
/// Returns nothing for any other file and any damaged one: libpng decodes it or says what is wrong.
std::optional<Image> decode_plain_png(std::span<const std::uint8_t> bytes);

}  // namespace ganscale::data
