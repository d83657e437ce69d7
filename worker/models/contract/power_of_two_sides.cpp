#include "models/contract/power_of_two_sides.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "base/joined.h"

namespace ganscale::models {
namespace {

unsigned clamped(int side, const PowerOfTwoSides& possible) {
  return static_cast<unsigned>(std::clamp(side, possible.lowest, possible.highest));
}

/// Returns the possible sides below and above a side: one if it is possible itself.
std::vector<int> nearest_sides(int side, const PowerOfTwoSides& possible) {
  const auto below = static_cast<int>(std::bit_floor(clamped(side, possible)));
  const auto above = static_cast<int>(std::bit_ceil(clamped(side, possible)));
  return below == above ? std::vector{below} : std::vector{below, above};
}

/// Returns the texts of the nearest possible resolutions; of a square they are squares.
std::vector<std::string> nearest(const Resolution& resolution, const PowerOfTwoSides& possible) {
  const auto heights = nearest_sides(resolution.height, possible);
  std::vector<std::string> texts;
  if (resolution.is_square() || possible.are_equal) {
    for (const int side : nearest_sides(resolution.shorter_side(), possible))
      texts.push_back(std::to_string(side));
    return texts;
  }
  for (const int height : heights) {
    for (const int width : nearest_sides(resolution.width, possible))
      texts.push_back(short_text_of({height, width}));
  }
  return texts;
}

}  // namespace

void require_sides(const config::Section& in, std::string_view model, const Resolution& resolution,
                   const PowerOfTwoSides& possible) {
  const auto is_possible = [&](int side) {
    return side >= possible.lowest && side <= possible.highest &&
           std::has_single_bit(static_cast<unsigned>(side));
  };
  const bool fits = is_possible(resolution.height) && is_possible(resolution.width) &&
                    (resolution.is_square() || !possible.are_equal);
  in.require(fits, "resolution",
             std::string(model) + " supports " + (possible.are_equal ? "squares of " : "") +
                 "the powers of two from " + std::to_string(possible.lowest) + " to " +
                 std::to_string(possible.highest) + ", not " + short_text_of(resolution) +
                 " (nearest: " + joined(nearest(resolution, possible)) + ")");
}

}  // namespace ganscale::models
