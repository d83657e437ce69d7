#pragma once

#include <cstdint>
#include <span>

#include "data/image/image.h"

/// TIFF by libtiff. Errors are DataErrors with the reason only: the caller knows the record.
namespace ganscale::data {

/// Decodes the first page of a TIFF file to gray or RGB, with alpha if it has it: whatever libtiff
/// turns into RGBA, as 1 to 16 bits per sample, palettes, CMYK (without a color profile) and YCbCr.
/// Refuses samples that are not unsigned integers. Rows stay as stored, whatever the orientation.
Image decode_tiff(std::span<const std::uint8_t> bytes);

/// Returns the shape of the result of decode_tiff() without decoding.
Image tiff_shape(std::span<const std::uint8_t> bytes);

}  // namespace ganscale::data
