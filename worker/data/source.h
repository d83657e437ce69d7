#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ganscale::data {

/// How a record's bytes hold its picture.
enum class Encoding { kRawChw, kRawHwc, kPng, kJpeg };

/// One picture as it lies in the data set, not decoded yet. A reader keeps one and reads into it
/// again and again, so that its buffer is allocated once.
struct Record {
  Record() = default;
  Record(Record&&) noexcept = default;
  Record& operator=(Record&&) noexcept = default;
  Record(const Record&) = delete;  // a copy's bytes would lie in the original's buffer
  Record& operator=(const Record&) = delete;

  std::span<const std::uint8_t> bytes;  ///< in `buffer`, or in memory of the source
  Encoding encoding = Encoding::kRawChw;
  int channels = 0;  ///< raw encodings only: 1 grey, 2 with alpha, 3 RGB, 4 RGBA
  int height = 0;
  int width = 0;
  std::int64_t label = -1;  ///< -1: the data set has no labels
  std::vector<std::uint8_t> buffer;
};

/// A data set with random access to its records. All functions may be called from several threads
/// at once.
class Source {
 public:
  virtual ~Source() = default;

  virtual std::int64_t record_count() const = 0;
  /// Number of labels; 0 for a data set without labels.
  virtual std::int64_t label_count() const = 0;
  /// Names of the labels, or empty.
  virtual std::vector<std::string> label_names() const { return {}; }
  /// The label of a record without reading its picture; -1 without labels.
  virtual std::int64_t label(std::int64_t index) const = 0;
  /// Reads a record over what `record` held. Its bytes are valid until the next read into it, as
  /// long as the source lives. Throws DataError with file, record and offset.
  virtual void read(std::int64_t index, Record& record) const = 0;
  /// Names a record for a message: "faces-r05.tfrecords, record 17, offset 53006".
  virtual std::string describe(std::int64_t index) const = 0;
};

}  // namespace ganscale::data
