#pragma once

#include <cstdint>
#include <span>

#include "data/image/image.h"

/// JPEG by libjpeg. Errors are DataErrors with only the reason: the caller knows which record it
/// is.
namespace ganscale::data {

/// Decodes a JPEG file to gray or RGB. One that was cut short is an error, though libjpeg would
/// fill up the rest with gray.
Image decode_jpeg(std::span<const std::uint8_t> bytes);

/// Returns the shape that decode_jpeg() would give, without decoding.
Image jpeg_shape(std::span<const std::uint8_t> bytes);

}  // namespace ganscale::data
