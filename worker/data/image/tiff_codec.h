#pragma once

#include <cstdint>
#include <span>

#include "data/image/image.h"

/// TIFF by libtiff. Errors are DataErrors with the reason only: the caller knows the record.
namespace ganscale::data {

/// Decodes the first page of a TIFF file to gray or RGB, with alpha if it has it: whatever libtiff
/// turns into RGBA, which is gray of up to 16 bits, RGB of 8 or 16, palettes of up to 8, CMYK
/// (without a color profile) and YCbCr of 8. Refuses samples that are not unsigned integers. Rows
/// stay as stored, whatever the orientation.
Image decode_tiff(std::span<const std::uint8_t> bytes);

/// Returns the shape of the result of decode_tiff() without decoding.
Image tiff_shape(std::span<const std::uint8_t> bytes);

}  // namespace ganscale::data
