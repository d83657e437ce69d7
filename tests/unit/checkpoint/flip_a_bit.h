#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace ganscale::checkpoint {

/// Flips the lowest bit of a byte of a file.
inline void flip_a_bit(const std::filesystem::path& file, std::int64_t offset) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(offset);
  const auto byte = static_cast<char>(stream.get() ^ 1);
  stream.seekp(offset);
  stream.put(byte);
}

}  // namespace ganscale::checkpoint
