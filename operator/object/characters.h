#pragma once

#include <algorithm>
#include <string_view>

namespace ganscale::controller {

/// Returns the number of Unicode characters of a text in UTF-8.
inline std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace ganscale::controller
