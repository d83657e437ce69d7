#pragma once

#include <string>

namespace ganscale {

/// Returns an empty JSON list in a million lists: code that recurses with the levels overflows the
/// stack.
inline std::string nested_json() {
  constexpr std::size_t kLevels = 1'000'000;
  return std::string(kLevels, '[') + std::string(kLevels, ']');
}

}  // namespace ganscale
