#pragma once

#include <cstdint>
#include <span>

#include "data/image/picture.h"

/// JPEG by libjpeg. Errors are DataErrors with only the reason: the caller knows which record it
/// is.
namespace ganscale::data {

/// Decodes a JPEG file to grey or RGB. One that was cut short is an error, though libjpeg would
/// fill up the rest with grey.
Picture decode_jpeg(std::span<const std::uint8_t> bytes);

/// Returns the shape that decode_jpeg() would give, without decoding.
Picture jpeg_shape(std::span<const std::uint8_t> bytes);

}  // namespace ganscale::data
