#pragma once

#include <cstdint>
#include <string>
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
  bool has_more_frames = false;        ///< decoded from a file with further frames or pages
};

/// Throws DataError unless both sides are from 1 to kLongestSide. format: "PNG".
void require_sides(const std::string& format, std::int64_t height, std::int64_t width);

}  // namespace ganscale::data
