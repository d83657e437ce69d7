#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "data/image/image.h"

/// PNG by libpng. Errors are DataErrors with the reason only: the caller knows the record.
namespace ganscale::data {

/// Decodes a PNG file of any type; of an animation the image that programs without animations show.
/// Expands palettes to RGB and rounds 16 bits to 8. Reads to the end, so that a truncated file is an
/// error.
Image decode_png(std::span<const std::uint8_t> bytes);

/// Returns the shape of the result of decode_png() without decoding.
Image png_shape(std::span<const std::uint8_t> bytes);

/// Returns the bytes of a PNG file.
std::string encode_png(const Image& image);

}  // namespace ganscale::data
