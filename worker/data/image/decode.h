#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "data/image/image.h"
#include "data/image/record.h"

namespace ganscale::data {

/// What happens to an image of another size than asked.
enum class Fit {
  kRefuse,
  kResize,  ///< its largest centered square, antialiased
  kPad,     ///< centered in black; a larger one is refused
};

/// What a decoded image must look like.
struct DecodePolicy {
  int channels = 3;     ///< 1 or 3
  int resolution = 32;  ///< height and width
  Fit fit = Fit::kRefuse;
  bool convert_colors = false;  ///< widen gray to RGB, reduce RGB to gray; else refuse
  std::array<std::uint8_t, 3> background = {255, 255, 255};  ///< RGB behind transparent pixels
};

/// Decodes a record as the policy asks.
///
/// chw:    [channels, resolution, resolution], overwritten.
/// Gray is Rec. 601 luma, as in the "L" of PIL. Alpha is flattened over the background first.
/// Throws: DataError with only the reason; the caller adds Source::describe().
void decode_into(const Record& record, const DecodePolicy& policy, std::span<std::uint8_t> chw);

/// Decodes a record as it is. Throws DataError with only the reason.
Image decode(const Record& record);

/// Returns the shape of a record's image without its pixels. Throws DataError with only the
/// reason.
Image image_shape(const Record& record);

/// Changes an image as the policy asks. Throws DataError with only the reason.
Image apply_policy(Image image, const DecodePolicy& policy);

}  // namespace ganscale::data
