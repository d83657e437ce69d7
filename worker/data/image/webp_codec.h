#pragma once

#include <cstdint>
#include <span>

#include "data/image/image.h"

/// WebP by libwebp. Errors are DataErrors with the reason only: the caller knows the record.
namespace ganscale::data {

/// Decodes a WebP file to RGB, or to RGBA if it has transparency. Of an animation it decodes the
/// first frame; what that leaves uncovered is transparent.
Image decode_webp(std::span<const std::uint8_t> bytes);

/// Returns the shape of the result of decode_webp() without decoding.
Image webp_shape(std::span<const std::uint8_t> bytes);

}  // namespace ganscale::data
