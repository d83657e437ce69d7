#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace ganscale {

/// The height and width of images, in pixels.
struct Resolution {
  int height = 32;
  int width = 32;

  constexpr Resolution() = default;
  /// Of a square; implicit, since most images are squares.
  constexpr Resolution(int side) : height(side), width(side) {}
  constexpr Resolution(int image_height, int image_width)
      : height(image_height), width(image_width) {}
  bool operator==(const Resolution&) const = default;

  constexpr int shorter_side() const { return std::min(height, width); }
  constexpr bool is_square() const { return height == width; }
  constexpr std::int64_t pixels() const { return std::int64_t{height} * width; }
  /// Returns the resolution of the same aspect ratio with this shorter side, which must divide the
  /// present one or be a multiple of it.
  constexpr Resolution scaled_to(int side) const {
    return {static_cast<int>(std::int64_t{height} * side / shorter_side()),
            static_cast<int>(std::int64_t{width} * side / shorter_side())};
  }
};

/// Returns height and width: "256x512".
std::string text_of(const Resolution& resolution);

/// Returns the side of a square, "256", or height and width, "256x512".
std::string short_text_of(const Resolution& resolution);

}  // namespace ganscale
