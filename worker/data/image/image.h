#pragma once

#include <cstdint>
#include <vector>

namespace ganscale::data {

/// The longest side of an image that is decoded, so that a damaged or malicious header cannot cause
/// unlimited allocation.
inline constexpr int kLongestSide = 16384;

/// A decoded image; with empty `hwc` only its shape.
struct Image {
  int channels = 0;  ///< 1 gray, 2 gray with alpha, 3 RGB, 4 RGBA (alpha not multiplied)
  int height = 0;
  int width = 0;
  std::vector<std::uint8_t> hwc = {};  ///< [height, width, channels]
};

}  // namespace ganscale::data
