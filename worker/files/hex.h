#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ganscale::files {

/// Returns two lowercase hexadecimal digits for each byte.
inline std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

/// Returns the number as 16 lowercase hexadecimal digits.
inline std::string hex(std::uint64_t number) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return hex(bytes);
}

}  // namespace ganscale::files
