#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "data/image/image.h"

/// PNG by libpng. Errors are DataErrors with only the reason: the caller knows which record it is.
namespace ganscale::data {

/// Decodes a PNG file of any kind; palettes are expanded and 16 bits scaled to 8. Its end is read
/// too, so that an image that was cut short is an error.
Image decode_png(std::span<const std::uint8_t> bytes);

/// Returns the shape that decode_png() would give, without decoding.
Image png_shape(std::span<const std::uint8_t> bytes);

/// Returns the bytes of a PNG file.
std::string encode_png(const Image& image);

}  // namespace ganscale::data
