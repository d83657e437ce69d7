#pragma once

#include <cstdint>
#include <span>

#include "data/image/image.h"

/// GIF by giflib. Errors are DataErrors with the reason only: the caller knows the record.
namespace ganscale::data {

/// Decodes the first frame of a GIF file to RGB, or to RGBA if it has a transparent color or leaves
/// a part of the image uncovered. Reads on to the next frame or the end, so that a file that was cut
/// short before is an error.
Image decode_gif(std::span<const std::uint8_t> bytes);

/// Returns the shape of the result of decode_gif() without decoding.
Image gif_shape(std::span<const std::uint8_t> bytes);

}  // namespace ganscale::data
