#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/resolution.h"
#include "data/image/image.h"
#include "data/image/record.h"

namespace ganscale::data {

/// What to do with an image of another size.
enum class Fit {
  kRefuse,
  kResize,  ///< crops to the largest centered part of the same aspect ratio and resizes, antialiased
  kPad,     ///< centers in black; refuses larger images
};

/// The format of decoded images.
struct DecodePolicy {
  int channels = 3;  ///< 1 or 3
  Resolution resolution = {};
  Fit fit = Fit::kRefuse;
  bool convert_colors = false;  ///< expand gray to RGB, reduce RGB to gray; otherwise refuse
  std::array<std::uint8_t, 3> background = {255, 255, 255};  ///< RGB behind transparent pixels
};

/// Decodes a record as the policy says.
///
/// chw:     [channels, height, width], overwritten.
/// Gray is Rec. 601 luma, as PIL's "L". Alpha is first blended over the background.
/// Returns: whether the file has further frames or pages, which are left out.
/// Throws:  DataError with the reason only; the caller adds Source::describe().
bool decode_into(const Record& record, const DecodePolicy& policy, std::span<std::uint8_t> chw);

/// Decodes a record as it is; of several frames or pages the first. Throws DataError with the reason only.
Image decode(const Record& record);

/// Returns the shape of a record's image without its pixels. Throws DataError with the reason only.
Image image_shape(const Record& record);

/// Converts an image as the policy says. Throws DataError with the reason only.
Image apply_policy(Image image, const DecodePolicy& policy);

}  // namespace ganscale::data
