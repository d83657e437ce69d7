#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ganscale::data {

/// The encoding of a record's image. What kind of file it is, its first bytes say: see codec_of().
enum class Encoding { kRawChw, kRawHwc, kFile };

/// An encoded image of a dataset. A reader reuses one record, so that its buffer is allocated only
/// once.
struct Record {
  Record() = default;
  Record(Record&&) noexcept = default;
  Record& operator=(Record&&) noexcept = default;
  Record(const Record&) = delete;  // the bytes of a copy would be in the original's buffer
  Record& operator=(const Record&) = delete;

  std::span<const std::uint8_t> bytes;  ///< in `buffer`, or in memory of the source
  Encoding encoding = Encoding::kRawChw;
  int channels = 0;  ///< raw encodings only: 1 gray, 2 with alpha, 3 RGB, 4 RGBA
  int height = 0;
  int width = 0;
  std::int64_t label = -1;  ///< -1: a dataset without labels
  std::vector<std::uint8_t> buffer;
};

}  // namespace ganscale::data
