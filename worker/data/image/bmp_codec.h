#pragma once

#include <cstdint>
#include <span>

#include "data/image/image.h"

/// BMP, by hand: see docs/dependencies.md. Errors are DataErrors with the reason only: the caller
/// knows the record.
namespace ganscale::data {

/// Decodes a BMP file to RGB, or to RGBA if its header has a mask for alpha: 1, 4 or 8 bits with a
/// palette, 16, 24 or 32 bits, rows in either order. Refuses compressed ones.
Image decode_bmp(std::span<const std::uint8_t> bytes);

/// Returns the shape of the result of decode_bmp() without decoding.
Image bmp_shape(std::span<const std::uint8_t> bytes);

}  // namespace ganscale::data
