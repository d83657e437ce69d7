#pragma once

#include <cstdint>

namespace ganscale::files {

/// Return the big- or little-endian number at the start of `bytes`.
constexpr std::uint32_t big_endian_32(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

constexpr std::uint16_t little_endian_16(const std::uint8_t* bytes) {
  return static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8);
}

constexpr std::uint32_t little_endian_32(const std::uint8_t* bytes) {
  return std::uint32_t{little_endian_16(bytes)} | std::uint32_t{little_endian_16(bytes + 2)} << 16;
}

constexpr std::uint64_t little_endian_64(const std::uint8_t* bytes) {
  return std::uint64_t{little_endian_32(bytes)} | std::uint64_t{little_endian_32(bytes + 4)} << 32;
}

}  // namespace ganscale::files
