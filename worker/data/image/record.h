#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ganscale::data {

/// How a record's bytes hold its image.
enum class Encoding { kRawChw, kRawHwc, kPng, kJpeg };

/// One image as it lies in the data set, not decoded yet. A reader keeps one and reads into it
/// again and again, so that its buffer is allocated once.
struct Record {
  Record() = default;
  Record(Record&&) noexcept = default;
  Record& operator=(Record&&) noexcept = default;
  Record(const Record&) = delete;  // a copy's bytes would lie in the original's buffer
  Record& operator=(const Record&) = delete;

  std::span<const std::uint8_t> bytes;  ///< in `buffer`, or in memory of the source
  Encoding encoding = Encoding::kRawChw;
  int channels = 0;  ///< raw encodings only: 1 gray, 2 with alpha, 3 RGB, 4 RGBA
  int height = 0;
  int width = 0;
  std::int64_t label = -1;  ///< -1: the data set has no labels
  std::vector<std::uint8_t> buffer;
};

}  // namespace ganscale::data
