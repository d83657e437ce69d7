#pragma once

#include <string_view>

#include "base/resolution.h"
#include "config/section.h"

namespace ganscale::models {

/// The resolutions of networks that halve their images down to a few pixels: height and width are
/// powers of two within these bounds.
struct PowerOfTwoSides {
  int lowest = 8;
  int highest = 1024;
  bool are_equal = false;  ///< the images must be squares
};

/// Throws ConfigError at the key `resolution`, with the nearest possible ones, for any other.
void require_sides(const config::Section& in, std::string_view model, const Resolution& resolution,
                   const PowerOfTwoSides& possible);

}  // namespace ganscale::models
