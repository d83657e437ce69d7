#pragma once

#include <cstdint>
#include <span>

#include "data/image/image.h"

/// JPEG by libjpeg. Errors are DataErrors with the reason only: the caller knows the record.
namespace ganscale::data {

/// Decodes a JPEG file to gray or RGB; CMYK becomes RGB. A truncated file is an error, although libjpeg would fill
/// the rest with gray.
Image decode_jpeg(std::span<const std::uint8_t> bytes);

/// Returns the shape of the result of decode_jpeg() without decoding.
Image jpeg_shape(std::span<const std::uint8_t> bytes);

}  // namespace ganscale::data
