#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "data/image/picture.h"
#include "data/image/record.h"

namespace ganscale::data {

/// What happens to a picture of another size than asked.
enum class Fit {
  kRefuse,
  kResize,  ///< its largest centred square, antialiased
  kPad,     ///< centred in black; a larger one is refused
};

/// What a decoded picture must look like.
struct DecodePolicy {
  int channels = 3;     ///< 1 or 3
  int resolution = 32;  ///< height and width
  Fit fit = Fit::kRefuse;
  bool convert_colours = false;  ///< widen grey to RGB, reduce RGB to grey; else refuse
  std::array<std::uint8_t, 3> background = {255, 255, 255};  ///< RGB behind transparent pixels
};

/// Decodes a record as the policy asks.
///
/// chw:    [channels, resolution, resolution], overwritten.
/// Grey is Rec. 601 luma, as in the "L" of PIL. Alpha is flattened over the background first.
/// Throws: DataError with only the reason; the caller adds Source::describe().
void decode_into(const Record& record, const DecodePolicy& policy, std::span<std::uint8_t> chw);

/// Decodes a record as it is. Throws DataError with only the reason.
Picture decode(const Record& record);

/// Returns the shape of a record's picture without its pixels. Throws DataError with only the
/// reason.
Picture picture_shape(const Record& record);

/// Changes a picture as the policy asks. Throws DataError with only the reason.
Picture apply_policy(Picture picture, const DecodePolicy& policy);

}  // namespace ganscale::data
